import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { BUNDLES, isBuilt, sealBuild } from '../../../infra/build/built-sources.ts';

let dist: string;
const put = (name: string, content: string) => writeFileSync(join(dist, name), content);
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'built-sources-'));
  for (const folder of ['lib', BUNDLES]) mkdirSync(join(dist, folder));
  put('lib/index.js', 'built');
  put('bundles/index.mjs', 'bundled');
});
afterEach(() => rmSync(dist, { recursive: true }));

test('nothing is built before the first build has ended', () => {
  expect(isBuilt('of these', dist)).toBe(false);
});

test('what was built is built until the sources are others', () => {
  sealBuild('of these', dist);

  expect(isBuilt('of these', dist)).toBe(true);
  expect(isBuilt('of others', dist)).toBe(false);
});

test.each<[string, () => void]>([
  ['is changed', () => put('lib/index.js', 'changed')],
  ['is missing', () => rmSync(join(dist, 'lib/index.js'))],
  ['is besides', () => put('lib/more.js', '')],
  ['has another name', () => put('index.js', 'built')],
])('it is built no more when a file %s', (_, damage) => {
  sealBuild('of these', dist);

  damage();

  expect(isBuilt('of these', dist)).toBe(false);
});

test('bundles may change, as they have a seal of their own', () => {
  sealBuild('of these', dist);

  put('bundles/index.mjs', 'bundled anew');

  expect(isBuilt('of these', dist)).toBe(true);
});
