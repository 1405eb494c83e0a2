import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['docs/architecture.md', 'CONTRIBUTING.md'] as const;

/** Anything that looks like a path of the repository, in prose, tables and drawings. */
const PATHS = /(?<![\w./-])(?:lib|functions|infra|test|docs|\.node)\/[\w./-]*[\w/]/g;
/** A test as a page names it: its file, then its title. */
const TITLES = /`(test\/[\w./-]+\.test\.ts)` "([^"]+)"/g;

test.each(PAGES)('every file that %s names is there', (page) => {
  const named = new Set(read(page).match(PATHS));
  const missing = [...named].filter((path) => !existsSync(join(ROOT, path)));

  expect(named.size).toBeGreaterThan(30);
  expect(missing).toEqual([]);
});

test('every test that holds an invariant is there under its title', () => {
  const named = [...read('docs/architecture.md').matchAll(TITLES)];
  const missing = named.filter(([, file = '', title = '']) => !read(file).includes(`'${title}'`));

  expect(named.length).toBeGreaterThan(30);
  expect(missing.map(([line]) => line)).toEqual([]);
});

test('every invariant names a test', () => {
  const rows = section('What always holds').filter((line) => line.startsWith('| '));
  const without = rows.slice(1).filter((row) => row.match(TITLES) === null);

  expect(without).toEqual([]);
});

test('at least twenty questions are answered, each with a file', () => {
  const rows = section('Where do I change').filter((line) => /^\| \d+ \|/.test(line));
  const without = rows.filter((row) => row.match(PATHS) === null);

  expect(rows.length).toBeGreaterThanOrEqual(20);
  expect(without).toEqual([]);
});

test('every npm script that CONTRIBUTING.md names is there', () => {
  const scripts: Readonly<Record<string, string>> = manifest.scripts;
  const named = [...read('CONTRIBUTING.md').matchAll(/npm run ([a-z:]+)/g)];
  const missing = named.filter(([, name = '']) => !Object.hasOwn(scripts, name));

  expect(named.length).toBeGreaterThan(5);
  expect(missing).toEqual([]);
});

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** The lines of a section of the page. */
function section(heading: string): readonly string[] {
  const [, text = ''] = read('docs/architecture.md').split(`## ${heading}`);
  return text.split('\n## ')[0]?.split('\n') ?? [];
}
