import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { runCommand } from '../../../infra/command/run-command.ts';
import { SCHEMA } from '../../../infra/command/schema.ts';
import { listSchemaOf } from '../../../lib/exports/list-schema.ts';
import { documentedLines } from '../../docs/documented-lines.ts';
import { describe } from '../../lib/schema/any-record.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const folder = mkdtempSync(join(tmpdir(), 'schema-command-'));
afterAll(() => rmSync(folder, { recursive: true }));
const FILE = join(folder, 'schema.json');
const at = '2026-01-01T00:00:00.000Z';
const manifest = {
  connection: 'north-1',
  list: 'credit-notes',
  exportId: 'x',
  startedAt: at,
  endedAt: at,
  ...{ resource: 'credit-notes', query: {}, completeness: { verdict: 'complete' } },
  ...{ ids: { keys: ['id'], missing: 0 }, parts: [] },
};
const report = JSON.stringify(
  listSchemaOf(manifest, describe('{"id":1,"at":{"x":{"y":1}}}'), undefined),
);

writeFileSync(FILE, report);

async function run(args: readonly string[], input?: string) {
  return runIn(sampleSurroundings(), args, input);
}

async function runIn(
  surroundings: ReturnType<typeof sampleSurroundings>,
  args: readonly string[],
  input?: string,
) {
  if (input !== undefined) surroundings.stdin.end(input);
  const code = await runCommand([SCHEMA], ['schema', ...args], surroundings);
  return { code, ...surroundings.said };
}

const printed = async (...options: readonly string[]) => (await run([FILE, ...options])).stdout;

test('prints the type of a record, named after connection and list', async () => {
  expect(await printed()).toContain('export type North1CreditNotes = {\n  readonly id: number;');
  expect(await printed('--name', 'Note')).toContain('export type Note = {');
  expect(await printed('--as', 'valibot')).toContain(
    'export const North1CreditNotesSchema = v.looseObject',
  );
});

test.each(['typescript', 'valibot', 'athena-view'])(
  'writes names that do not print as they are into a file, and none to a terminal: %s',
  async (form) => {
    const name = 'zero\u200bwidth';
    const record = JSON.stringify({ [name]: 1 });
    const odd = JSON.stringify(listSchemaOf(manifest, describe(record), undefined));
    const args = ['-', '--as', form];
    const terminal = sampleSurroundings({ stdout: { isTTY: true, write: () => true } });

    expect((await run(args, odd)).stdout).toContain(name);
    expect((await runIn(terminal, args, odd)).stdout).toContain('zero\ufffdwidth');
  },
);

test('prints a view of the newest export of the list', async () => {
  const view = await printed('--as', 'athena-view');
  expect(view).toContain('CREATE OR REPLACE VIEW "north_1__credit_notes" AS');
  expect(view).toContain(`FROM "latest_credit_notes"\nWHERE connection = 'north-1'`);
  expect(view).toContain('AS "at_x_y"');
  const named = await printed('--as', 'athena-view', '--name', 'latest__credit');
  expect(named).toContain('"latest__credit"');
  expect(await printed('--as', 'athena-view', '--depth', '1')).toContain('AS "at"');
});

test.each([
  [[], 'Command line: expected FILE: the file of a report'],
  [['--as', 'typescript'], 'Command line: expected FILE: the file of a report'],
  [[FILE, '--as', 'zod'], '--as: expected one of typescript, valibot, athena-view, got zod'],
  [[FILE, '--name', 'a b'], '--name: expected 1 to 128 letters'],
  [[FILE, '--name', ''], 'no digit first, got nothing'],
  [
    [FILE, '--as', 'athena-view', '--name', 'Latest_credit_notes'],
    '--name: Latest_credit_notes is a table or view of the stack',
  ],
  [
    [FILE, '--as', 'athena-view', '--name', 'latest_invoices'],
    '--name: latest_invoices is a table or view of the stack',
  ],
  [[FILE, '--depth', '2'], '--depth: has a meaning with --as athena-view only'],
  [
    [FILE, '--as', 'athena-view', '--depth', '0'],
    '--depth: expected a whole number from 1 to 20, got 0',
  ],
  [[FILE, 'more'], 'Command line: expected FILE beside options, got 2 arguments'],
  [['/nowhere/schema.json'], 'FILE: cannot read …/schema.json: there is no such file (ENOENT)'],
  [['package.json'], 'FILE: expected a report as an export writes it, schema.json, got package'],
])('refuses %j, naming the option', async (args, message) => {
  const { code, stdout, stderr } = await run(args);

  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(message);
});

test('refuses what is no report', async () => {
  const expected = 'expected a report as an export writes it, schema.json';

  expect(await run(['-'], '{"version":1}')).toEqual({
    code: 2,
    stdout: '',
    stderr: `Standard input: ${expected}\n`,
  });
});

test('each line of the pages prints its report', async () => {
  const lines = ['schemas.md', 'athena.md']
    .flatMap((page) => documentedLines(`docs/${page}`))
    .map(([, , ...rest]) => rest.slice(0, rest.includes('>') ? rest.indexOf('>') : rest.length));

  expect(lines.length).toBeGreaterThan(1);
  for (const options of lines) {
    expect(await run([FILE, ...options])).toMatchObject({ code: 0, stderr: '' });
  }
});

test('prints the report on its standard input, and JSON for programs', async () => {
  const { stdout } = await run(['-', '--name', 'Note', '--json'], report);

  expect(JSON.parse(stdout)).toEqual({ source: await printed('--name', 'Note') });
});

test('Ctrl-C ends it while nothing comes on standard input', async () => {
  const surroundings = sampleSurroundings();
  const code = runCommand([SCHEMA], ['schema', '-'], surroundings);
  surroundings.interrupt.abort();

  expect(await code).toBe(130);
});
