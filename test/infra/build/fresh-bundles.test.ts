import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { type BundleFolder, freshBundles } from '../../../infra/build/fresh-bundles.ts';

let folder: BundleFolder;
let source: string;
let bundle: string;
beforeEach(async () => {
  const root = mkdtempSync(join(tmpdir(), 'fresh-bundles-'));
  source = join(root, 'source.ts');
  writeFileSync(source, 'first');
  folder = { directory: join(root, 'bundles'), sources: [source], functions: ['list-files'] };
  bundle = join(folder.directory, 'list-files/index.mjs');
  await freshBundles(folder);
});
afterEach(() => rmSync(join(folder.directory, '..'), { recursive: true }));

test('bundles once for the same sources, and anew when one of them changes', async () => {
  const fresh = readFileSync(bundle, 'utf8');
  writeFileSync(bundle, 'of the sources as they were');

  await freshBundles(folder);
  expect(readFileSync(bundle, 'utf8')).toBe('of the sources as they were');

  writeFileSync(source, 'second');
  await freshBundles(folder);
  expect(readFileSync(bundle, 'utf8')).toBe(fresh);
});

test('bundles again when a source changes while it bundles', async () => {
  writeFileSync(source, 'second');
  const made = freshBundles(folder);
  writeFileSync(source, 'third');
  await made;
  writeFileSync(bundle, 'of the third');

  await freshBundles(folder);
  expect(readFileSync(bundle, 'utf8')).toBe('of the third');
});

test('removes what is no function any more, and makes what is missing', async () => {
  mkdirSync(join(folder.directory, 'removed'));
  rmSync(bundle);

  await freshBundles(folder);

  expect(readdirSync(folder.directory).sort()).toEqual(['LICENSES.txt', 'list-files', 'sources']);
  expect(readdirSync(join(folder.directory, 'list-files'))).toEqual(['index.mjs']);
});

test('names every package in the bundles with its license', () => {
  const licenses = readFileSync(join(folder.directory, 'LICENSES.txt'), 'utf8');

  expect(licenses).toMatch(/^@aws-sdk\/client-s3 [\d.]+, Apache-2.0$/m);
  expect(licenses).toMatch(/^@middy\/core [\d.]+, MIT$/m);
  expect(licenses).toContain('Permission is hereby granted');
});
