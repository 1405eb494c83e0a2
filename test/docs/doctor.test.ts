import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { listSettingsFor } from '../../lib/doctor/doctor-settings.ts';
import { DIALECTS, type Dialect, modelOf } from '../lib/doctor/dialects.ts';
import { examineModel } from '../lib/doctor/examined.ts';

const PAGE = join(import.meta.dirname, '../../docs/doctor.md');
const TABLE = /(?<=<!-- dialects -->\n\n)(?:\|.*\n)+/;
const EXAMINED = { baseUrl: 'https://api.example.com', resource: 'customers', query: {} };

/** With `UPDATE_DOCS=1` the page is written anew instead. */
test('the table of dialects in docs/doctor.md has what the doctor says of each: UPDATE_DOCS=1 writes it', async () => {
  const page = readFileSync(PAGE, 'utf8');
  const rows = await Promise.all(DIALECTS.map(rowOf));
  const table = ['| Dialect | Requests | Settings |', '|---|---|---|', ...rows, ''].join('\n');
  if (process.env['UPDATE_DOCS'] === '1') {
    const [before = '', after = ''] = page.split(/(?<=<!-- dialects -->\n\n)(?:\|.*\n)*/);
    writeFileSync(PAGE, before + table + after);
  } else expect(TABLE.exec(page)?.[0]).toBe(table);
});

async function rowOf(dialect: Dialect): Promise<string> {
  const model = modelOf(dialect);
  const { profile, requests } = await examineModel((question) => model.answer(question));
  if (profile.list === undefined) throw new Error(`No page of ${dialect.name} came.`);
  const settings = JSON.stringify(listSettingsFor(profile.list, EXAMINED)).slice(1, -1);
  const said = profile.list.ignoresPage
    ? 'cannot be exported: `page` is not known'
    : `\`${settings}\``;
  return `| ${dialect.name} | ${requests.length} | ${said} |`;
}
