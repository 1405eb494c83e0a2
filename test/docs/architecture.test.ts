import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const PAGES = [
  { page: 'docs/architecture.md', leastFiles: 30 },
  { page: 'CONTRIBUTING.md', leastFiles: 15 },
  { page: 'SECURITY.md', leastFiles: 15 },
] as const;
/** The pages whose tables name the test that holds each line, and the section of the table. */
const PROMISES = [
  { page: 'docs/architecture.md', heading: 'What always holds', leastTests: 30 },
  { page: 'SECURITY.md', heading: 'Who may do what', leastTests: 15 },
] as const;

/** Anything that looks like a path of the repository, in prose, tables and drawings. */
const PATHS = /(?<![\w./-])(?:lib|functions|infra|test|docs|\.node)\/[\w./-]*[\w/]/g;
/** A test as a page names it: its file, then its title. */
const TITLES = /`(test\/[\w./-]+\.test\.ts)` "([^"]+)"/g;

test.each(PAGES)('every file that $page names is there', ({ page, leastFiles }) => {
  const named = new Set(read(page).match(PATHS));
  const missing = [...named].filter((path) => !existsSync(join(ROOT, path)));

  expect(named.size).toBeGreaterThan(leastFiles);
  expect(missing).toEqual([]);
});

test.each(PROMISES)(
  'every test that $page names is there under its title',
  ({ page, leastTests }) => {
    const named = [...read(page).matchAll(TITLES)];
    const missing = named.filter(([, file = '', title = '']) => {
      const text = read(file);
      return !text.includes(`'${title}'`) && !text.includes(`"${title}"`);
    });

    expect(named.length).toBeGreaterThan(leastTests);
    expect(missing.map(([line]) => line)).toEqual([]);
  },
);

test.each(PROMISES)('every promise of $page names a test', ({ page, heading }) => {
  const rows = section(page, heading).filter((line) => line.startsWith('| '));
  const without = rows.slice(1).filter((row) => row.match(TITLES) === null);

  expect(rows.length).toBeGreaterThan(5);
  expect(without).toEqual([]);
});

test('at least twenty questions are answered, each with a file', () => {
  const rows = section('docs/architecture.md', 'Where do I change').filter((line) =>
    /^\| \d+ \|/.test(line),
  );
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

/** The lines of a section of a page. */
function section(page: string, heading: string): readonly string[] {
  const [, text = ''] = read(page).split(`## ${heading}`);
  return text.split('\n## ')[0]?.split('\n') ?? [];
}
