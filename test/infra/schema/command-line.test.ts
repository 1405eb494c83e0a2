import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { printedSchema, readSchemaCommand } from '../../../infra/schema/command-line.ts';
import { listSchemaOf } from '../../../lib/exports/list-schema.ts';
import { describe } from '../../lib/schema/any-record.ts';

const root = join(import.meta.dirname, '../../..');
const at = '2026-01-01T00:00:00.000Z';
const manifest = {
  connection: 'north-1',
  list: 'credit-notes',
  exportId: 'x',
  startedAt: at,
  endedAt: at,
  parts: [],
};
const report = JSON.stringify(
  listSchemaOf(manifest, describe('{"id":1,"at":{"x":{"y":1}}}'), undefined),
);

const printed = (...options: readonly string[]) => {
  const command = readSchemaCommand(['schema.json', ...options]);
  return command === 'help' ? command : printedSchema(command, report);
};

test('prints the type of a record, named after connection and list', () => {
  expect(printed()).toContain('export type North1CreditNotes = {\n  readonly id: number;');
  expect(printed('--name', 'Note')).toContain('export type Note = {');
  expect(printed('--as', 'valibot')).toContain(
    'export const North1CreditNotesSchema = v.looseObject',
  );
});

test('prints a view of the newest export of the list', () => {
  const view = printed('--as', 'athena-view');
  expect(view).toContain('CREATE OR REPLACE VIEW "north_1__credit_notes" AS');
  expect(view).toContain(`FROM "latest_credit_notes"\nWHERE connection = 'north-1'`);
  expect(view).toContain('AS "at_x_y"');
  expect(printed('--as', 'athena-view', '--name', 'latest__credit')).toContain('"latest__credit"');
  expect(printed('--as', 'athena-view', '--depth', '1')).toContain('AS "at"');
});

test.each([
  [[], 'Command line: expected FILE: the file of a report'],
  [['--as', 'typescript'], 'Command line: expected FILE: the file of a report'],
  [
    ['schema.json', '--as', 'zod'],
    '--as: expected one of typescript, valibot, athena-view, got zod',
  ],
  [['schema.json', '--name', 'a b'], '--name: expected 1 to 128 letters'],
  [['schema.json', '--name', ''], 'no digit first, got nothing'],
  [
    ['schema.json', '--as', 'athena-view', '--name', 'Latest_credit_notes'],
    '--name: Latest_credit_notes is a table or view of the stack',
  ],
  [
    ['schema.json', '--as', 'athena-view', '--name', 'latest_invoices'],
    '--name: latest_invoices is a table or view of the stack',
  ],
  [['schema.json', '--depth', '2'], '--depth: has a meaning with --as athena-view only'],
  [
    ['schema.json', '--as', 'athena-view', '--depth', '0'],
    '--depth: expected a whole number from 1 to 20, got 0',
  ],
  [['schema.json', 'more'], 'Command line: Unexpected argument'],
])('refuses %j, naming the option', (args, message) => {
  expect(() => {
    const command = readSchemaCommand(args);
    if (command !== 'help') printedSchema(command, report);
  }).toThrow(message);
});

test('refuses what is no report', () => {
  expect(() =>
    printedSchema(
      { file: 'manifest.json', options: { as: undefined, name: undefined, depth: undefined } },
      '{"version":1}',
    ),
  ).toThrow('manifest.json: expected a report as an export writes it, schema.json');
});

test('is a command: from standard input to standard output, with a line for what is wrong', () => {
  const run = (args: readonly string[], input = '') => {
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'infra/schema/main.ts'), ...args],
      { input, encoding: 'utf8' },
    );
    return { status, stdout, stderr };
  };
  expect(run(['-', '--name', 'Note'], report).stdout).toContain('export type Note = {');
  expect(run(['--help']).stdout).toContain('--as FORM');
  expect(run(['/nowhere/schema.json'])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'FILE: cannot read /nowhere/schema.json (ENOENT)\n',
  });
});
