import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DOCTOR_OPTIONS } from '../../infra/command/doctor.ts';
import { START_OPTIONS } from '../../infra/local/start/start-options.ts';
import { SIMULATOR_OPTIONS } from '../../infra/simulator/command-line.ts';
import { commandOptions } from './command-options.ts';
import { optionRows } from './option-rows.ts';

const docs = join(import.meta.dirname, '../../docs');
const TABLE = /^\| Option \|.*\n(?:\|.*\n)+/m;

/** With `UPDATE_DOCS=1` the pages are written anew instead. */
test.each([
  ['doctor.md', DOCTOR_OPTIONS],
  ['settings.md', START_OPTIONS],
  ['simulator.md', SIMULATOR_OPTIONS],
])('docs/%s has the options of the program: UPDATE_DOCS=1 writes them', (name, table) => {
  const page = readFileSync(join(docs, name), 'utf8');
  const rows = optionRows(table);
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(
      join(docs, name),
      page.replace(TABLE, () => rows),
    );
  } else expect(TABLE.exec(page)?.[0]).toBe(rows);
});

test('the tables in docs/command.md are those of the commands: UPDATE_DOCS=1 writes them', () => {
  const path = join(docs, 'command.md');
  const page = readFileSync(path, 'utf8');
  const begin = page.indexOf('## Options\n\n') + '## Options\n\n'.length;
  if (process.env['UPDATE_DOCS'] === '1') {
    writeFileSync(path, page.slice(0, begin) + commandOptions());
  } else expect(page.slice(begin)).toBe(commandOptions());
});
