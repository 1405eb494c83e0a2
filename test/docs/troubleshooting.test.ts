import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { problemCodes } from '../../functions/http/problem.ts';

const root = join(import.meta.dirname, '../..');
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const page = read('docs/troubleshooting.md');

const sources = sourcesOf(['lib', 'functions', 'infra']);

function sourcesOf(folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts'))
        .map((file) => read(join(folder, file))),
    )
    .join('\n');
}

/** What stands in code marks in the first cells of the rows. */
const symptomsOf = (text: string) =>
  [...text.matchAll(/^\| (.*?) \|/gm)].flatMap(([, cell = '']) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, symptom = '']) => symptom),
  );

const sectionOf = (text: string, heading: string) =>
  text.split(/^## /m).find((section) => section.startsWith(`${heading}\n`)) ?? '';

/** The codes of a reason, as the source lists them. */
function codesOf(file: string): readonly string[] {
  const [, list = ''] =
    /const reason = v\.object\(\{\s+code: v\.picklist\(\[(.*?)\]\)/s.exec(read(file)) ?? [];
  return [...list.matchAll(/^ *'([a-z-]+)',$/gm)].map(([, code = '']) => code);
}

test('every message on the page is one of ours, word for word', () => {
  const fragments = symptomsOf(page)
    .filter((symptom) => symptom.includes(' '))
    .flatMap((symptom) => symptom.split('…'))
    .map((fragment) => fragment.trim())
    .filter((fragment) => fragment !== '' && fragment !== ':');

  expect(fragments.length).toBeGreaterThan(60);
  expect(fragments.filter((fragment) => !sources.includes(fragment))).toEqual([]);
});

test.each([
  ['lib/exports/export-state.ts', 'The end of an export'],
  ['lib/writes/write-state.ts', 'Writes'],
])('every code of a reason in %s has a row, and no row a code that is none', (file, heading) => {
  const rows = symptomsOf(sectionOf(page, heading)).filter((code) => code !== 'reason.code');

  expect(rows.length).toBeGreaterThan(5);
  expect(rows.toSorted()).toEqual(codesOf(file).toSorted());
});

test('every line of a log that warns or tells an error has a row, and no row a line that is none', () => {
  const logged = sourcesOf(['functions']).matchAll(/\.(?:error|warn)\(\s*'([^']+)'/g);
  const lines = new Set([...logged].map(([, line = '']) => line));
  const rows = symptomsOf(sectionOf(page, 'Lines of a log'));

  expect(lines.size).toBeGreaterThan(25);
  expect([...lines].filter((line) => !rows.includes(line))).toEqual([]);
  expect(rows.filter((row) => !lines.has(row))).toEqual(['message', 'UpdateItem']);
});

test('every problem of the HTTP API has a row on its page, and no row a code that is none', () => {
  const rows = [
    ...sectionOf(read('docs/http-api.md'), 'Problems').matchAll(/^\| \d+ \| (.*?) \|/gm),
  ].flatMap(([, cell = '']) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code));

  expect(rows.toSorted()).toEqual(problemCodes().toSorted());
});

test('every heading that the pages link to is there', () => {
  const pages = ['README.md', 'CHANGELOG.md', 'SECURITY.md'].concat(
    readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join('docs', name)),
  );
  const missing = pages.flatMap((from) =>
    [...read(from).matchAll(/\]\((?!https?:)([^)#]*)#([^)]+)\)/g)]
      .filter(([, file = '', anchor = '']) => {
        const to = file === '' ? from : join(from, '..', file);
        return !anchorsOf(read(to)).includes(anchor);
      })
      .map(([link]) => `${from}: ${link}`),
  );

  expect(missing).toEqual([]);
});

/** As GitHub makes them: small letters, hyphens for spaces, without punctuation. */
function anchorsOf(text: string): readonly string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
