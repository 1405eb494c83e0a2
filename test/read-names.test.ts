import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { COMMANDS } from '../infra/command/commands.ts';
import { START_USAGE } from '../infra/local/start/start-options.ts';

const root = join(import.meta.dirname, '..');
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');

const NOT_CODE = /\/\*[\s\S]*?\*\/|\/\/.*|'(?:\\.|[^'\\\n])*'/g;

/** Without comments and without texts, such as messages, but for those in brackets or braces, which may be names. */
function codeOf(source: string): string {
  return source.replace(NOT_CODE, (found, at: number) => {
    const isName =
      found.startsWith("'") && /[[{,]\s*$/.test(source.slice(Math.max(0, at - 80), at));
    return isName ? found : ' ';
  });
}

const sources = ['lib', 'functions', 'infra']
  .flatMap((layer) =>
    readdirSync(join(root, layer), { encoding: 'utf8', recursive: true }).map(
      (file) => `${layer}/${file}`,
    ),
  )
  .filter((path) => path.endsWith('.ts'))
  .map((path) => ({ path, code: codeOf(textOf(path)) }));

/**
 * A member is read by an access or by taking an object apart; `name:` alone declares it, checks it or passes it on. One
 * that is called like another that is read counts as read: this finds what nobody reads, not what the wrong one reads.
 *
 * @param but Where to look for nothing.
 */
function isRead(name: string, but = 'nowhere'): boolean {
  const access = `\\.${name}\\b(?!\\??:)|\\['${name}'\\]`;
  const taken = `[{,]\\s*(?:${name}|'${name}'\\s*:\\s*\\w+)(?:\\s*=[^,}]+)?\\s*(?=[,}])|[{,]\\s*${name}: \\w+(?:\\s*=[^,}]+)?[^{}]*\\}(?:: [\\w<>, ]+)?\\s*(?:=[^=>]|\\))`;
  const read = new RegExp(`${access}|${taken}`);
  return sources.some(({ path, code }) => !path.startsWith(but) && read.test(code));
}

const GIVEN = /(?:Props|Options|Places|Schedules|Authorization|Request|Fault)$/;

function membersOf(page: string, types: RegExp): readonly string[] {
  const sections = textOf(`docs/reference/${page}`).split(/^### /m);
  return sections
    .filter((section) => types.test(section.split('\n', 1)[0] ?? ''))
    .flatMap((section) =>
      [...section.matchAll(/^\| <a id="property-[^"]*"><\/a> `(\w+)\??`/gm)].flatMap(
        ([, name = '']) => name,
      ),
    );
}

function settingsIn(page: string): readonly string[] {
  const [settings = ''] = textOf(page).split('## Lists\n\nEvery');
  const cells = [...settings.matchAll(/^\| (`[^|]+`) \|/gm)].map(([, cell = '']) => cell);
  return cells.flatMap((cell) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, name = '']) => name.split('.').at(-1) ?? ''),
  );
}

test.each([
  // Settings are made props in this folder, under the same names.
  ['prop', 'infra.md', GIVEN, 'infra/settings/'],
  ['setting', 'infra.md', /Settings$/, undefined],
  ['option', 'lambda.md', GIVEN, undefined],
  ['option', 'client.md', GIVEN, undefined],
  ['option', 'testing.md', GIVEN, undefined],
])('every %s in the reference %s is read somewhere', (_, page, types, but) => {
  const names = membersOf(page, types);

  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !isRead(name, but))).toEqual([]);
});

test.each([['docs/settings.md'], ['docs/schedules.md']])(
  'every setting of %s is read somewhere',
  (page) => {
    const names = settingsIn(page);

    expect(names.length).toBeGreaterThan(5);
    expect(names.filter((name) => !isRead(name))).toEqual([]);
  },
);

test.each(
  [...COMMANDS.map(({ usage }) => usage), START_USAGE].map((usage) => [usage.name, usage] as const),
)('every option of %s is read somewhere', (_, { options }) => {
  const camelCase = (name: string) =>
    name.replace(/-(.)/g, (__, letter: string) => letter.toUpperCase());
  const unread = Object.keys(options).filter((name) => !isRead(name) && !isRead(camelCase(name)));

  expect(unread).toEqual([]);
});
