import { existsSync, readdirSync, readFileSync, utimesSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import {
  ASSEMBLY_CACHE,
  type AssemblyCache,
  keptAssembly,
} from '../../../../infra/local/start/kept-assembly.ts';

const SETTINGS = { baseUrl: 'https://api.example.com' };

let root: string;
let cache: AssemblyCache;
let made: number;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'kept-assembly-'));
  made = 0;
  const sources = [join(root, 'lib'), join(root, 'lock.json'), join(root, 'absent')];
  cache = { directory: join(root, 'cache'), sources };
  await mkdir(join(root, 'lib/steps'), { recursive: true });
  await writeFile(join(root, 'lib/steps/lease.ts'), 'export const a = 1;');
  await writeFile(join(root, 'lock.json'), '{}');
});
afterEach(() => rm(root, { recursive: true }));

async function make(directory: string): Promise<void> {
  made += 1;
  await mkdir(join(directory, 'asset.1'));
  await writeFile(join(directory, 'asset.1/index.mjs'), 'export const handler = 1;');
  await writeFile(join(directory, 'stack.template.json'), '{"Resources":{}}');
}

const kept = (settings: unknown = SETTINGS) => keptAssembly(cache, settings, make);

const inRoot = (name: string) => join(root, name);

test('is made once while nothing changes', async () => {
  const first = await kept();

  expect(await kept()).toBe(first);
  expect(made).toBe(1);
  expect(readFileSync(join(first, 'stack.template.json'), 'utf8')).toBe('{"Resources":{}}');
});

test.each([
  ['a byte of a source', () => writeFile(inRoot('lib/steps/lease.ts'), 'export const a = 2;')],
  ['a name', () => rename(inRoot('lib/steps/lease.ts'), inRoot('lib/steps/leases.ts'))],
  ['a folder', () => rename(inRoot('lib/steps'), inRoot('lib/step'))],
  ['the number of files', () => writeFile(inRoot('lib/empty.ts'), '')],
  ['the lock file', () => writeFile(inRoot('lock.json'), '{} ')],
  ['what was not there', () => writeFile(inRoot('absent'), '')],
  ['what was there', () => rm(inRoot('lock.json'))],
])('is made anew when %s has changed', async (_, change) => {
  const first = await kept();
  await change();

  expect(await kept()).not.toBe(first);
  expect(made).toBe(2);
});

test('is made anew for other settings, and kept for both', async () => {
  const first = await kept();
  const other = await kept({ ...SETTINGS, connections: {} });

  expect(other).not.toBe(first);
  expect([await kept(), await kept({ ...SETTINGS, connections: {} })]).toEqual([first, other]);
  expect(made).toBe(2);
});

test.each([
  [
    'a template',
    (entry: string) => writeFile(join(entry, 'stack.template.json'), '{"Resources": {}}'),
  ],
  ['a function', (entry: string) => writeFile(join(entry, 'asset.1/index.mjs'), '')],
  ['a file too many', (entry: string) => writeFile(join(entry, 'asset.1/more.mjs'), '')],
  ['a file too few', (entry: string) => rm(join(entry, 'stack.template.json'))],
  ['no seal', (entry: string) => rm(join(entry, 'digest'))],
])('is not used when it was damaged: %s', async (_, damage) => {
  const first = await kept();
  await damage(first);

  const second = await kept();

  expect(second).not.toBe(first);
  expect(existsSync(first)).toBe(false);
  expect(readFileSync(join(second, 'asset.1/index.mjs'), 'utf8')).not.toBe('');
  expect(made).toBe(2);
});

test('is not taken for a later start when a source changed while it was made', async () => {
  const lease = inRoot('lib/steps/lease.ts');
  const first = await keptAssembly(cache, SETTINGS, async (directory) => {
    await make(directory);
    await writeFile(lease, 'export const a = 2;');
  });
  await writeFile(lease, 'export const a = 1;');

  expect(await kept()).not.toBe(first);
  expect(made).toBe(2);
});

test('leaves nothing behind when making it fails', async () => {
  const failing = keptAssembly(cache, SETTINGS, async (directory) => {
    await make(directory);
    throw new Error('out of luck');
  });

  await expect(failing).rejects.toThrow('out of luck');
  expect(readdirSync(cache.directory)).toEqual([]);
});

test('is made for this run alone where nothing can be kept', async () => {
  await writeFile(inRoot('cache'), 'a file');

  const first = await kept();
  const second = await kept();

  expect(second).not.toBe(first);
  expect(made).toBe(2);
  for (const directory of [first, second]) {
    expect(existsSync(join(directory, 'stack.template.json'))).toBe(true);
    await rm(directory, { recursive: true });
  }
});

test('two at the same time do not disturb each other', async () => {
  const [one, other] = await Promise.all([kept(), kept()]);

  expect([one, other]).toContain(await kept());
  for (const entry of [one, other]) {
    expect(existsSync(join(entry, 'stack.template.json'))).toBe(true);
  }
});

test('keeps the four that were used last, and what was used minutes ago', async () => {
  const entries = [];
  for (let n = 0; n < 6; n += 1) entries.push(await kept({ n }));
  const hoursAgo = (entry: string, hours: number) => {
    const time = new Date(Date.now() - hours * 3_600_000);
    utimesSync(entry, time, time);
  };
  for (const [n, entry] of entries.entries()) hoursAgo(entry, n + 1);
  await kept({ n: 5 });
  await kept({ n: 'new' });

  const left = entries.filter((entry) => existsSync(entry));
  expect(left).toEqual([entries[0], entries[1], entries[5]]);
  for (let n = 10; n < 16; n += 1) await kept({ n });
  expect(readdirSync(cache.directory).length).toBeGreaterThanOrEqual(8);
});

test('the sources of the stack are there', () => {
  expect(ASSEMBLY_CACHE.sources.filter((path) => !existsSync(path))).toEqual([]);
  expect(ASSEMBLY_CACHE.directory).toContain('node_modules');
});
