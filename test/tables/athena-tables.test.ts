import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runCommand } from '../../infra/command/run-command.ts';
import { SCHEMA } from '../../infra/command/schema.ts';
import { LATEST_EXPORT, pointersKey } from '../../lib/exports/table-pointers.ts';
import { parseExactly } from '../../lib/json/parse-exactly.ts';
import { isDeep, tried } from '../deep/depth.ts';
import { athenaPage, athenaQueries } from '../docs/athena-page.ts';
import { sampleSurroundings } from '../infra/command/sample-surroundings.ts';
import { compilerProblems, sourceFolder } from '../lib/schema/compile-source.ts';
import { type Answer, askEngine } from './engine.ts';
import { type ExportedWorld, exportWorld } from './exported-world.ts';
import { statementsFor, viewsIn } from './glue-tables.ts';
import { HARD_RECORDS } from './hard-records.ts';
import { trinoProblems } from './trino-grammar.ts';

/** The engine has 70 MB and is installed over the network, so `npm test` leaves this out. */
const testDeep = isDeep ? test : test.skip;

let world: Awaited<ReturnType<typeof exportWorld>> | undefined;
beforeAll(async () => {
  if (isDeep) world = await exportWorld();
}, 240_000);
afterAll(() => world?.remove());

/** The rows of a query to the tables of the template. */
function rowsOf(sql: string, of = exported()): readonly Readonly<Record<string, unknown>>[] {
  const { answer } = askEngine(statementsFor(of.template, of.bucket), { answer: sql });
  return rowsIn(answer);
}

function rowsIn(answer: Answer | undefined) {
  if (answer?.kind !== 'rows') throw new Error(answer?.message ?? 'no answer');
  tried('rows read by DuckDB', answer.rows.length);
  return answer.rows;
}

function exported(): ExportedWorld {
  if (world === undefined) throw new Error('nothing is exported');
  return world;
}

const column = (name: string, rows: readonly Readonly<Record<string, unknown>>[]) =>
  rows.map((row) => row[name]);

testDeep('the view of the newest export has every record of it as it is, and no other', () => {
  const rows = rowsOf("SELECT * FROM latest_customers WHERE connection = 'demo'");

  expect(column('record', rows).toSorted()).toEqual(exported().newest.toSorted());
  expect(new Set(column('connection', rows))).toEqual(new Set(['demo']));
});

testDeep('one export has its own records, of all its parts', () => {
  const { firstExportId, first } = exported();
  const rows = rowsOf(
    `SELECT *, "$path" AS path FROM exports
     WHERE connection = 'demo' AND list = 'customers' AND export = '${firstExportId}'`,
  );

  expect(column('record', rows).toSorted()).toEqual(first.toSorted());
  expect(partsOf(firstExportId)).toBeGreaterThan(2);
  expect(new Set(column('path', rows)).size).toBe(partsOf(firstExportId));
});

/** Parts that count: beside them lie strays that no manifest names. */
function partsOf(exportId: string): number {
  const parts = exported().bucket.objects.filter(
    ({ key }) => key.includes(`/list=customers/export=${exportId}/part-`) && key.endsWith('.gz'),
  );
  return parts.filter(({ key }) => !key.includes('-stray')).length;
}

testDeep('records that readers of lines, columns and numbers change are not changed', () => {
  const rows = rowsOf("SELECT record FROM latest_customers WHERE connection = 'hard'");

  expect(column('record', rows)).toEqual(HARD_RECORDS);
});

testDeep('digits beyond 2^53 and nested members come out as they are', () => {
  const rows = rowsOf(
    `SELECT json_extract_scalar(record, '$.id') AS id,
            json_extract_scalar(record, '$.address.city') AS city
     FROM latest_customers WHERE connection = 'demo'`,
  );
  const truth = exported().newest.map((record) => ({
    id: /"id":(\d+)/.exec(record)?.[1],
    city: JSON.parse(record).address?.city ?? null,
  }));

  expect(new Set(rows.map((row) => JSON.stringify(row)))).toEqual(
    new Set(truth.map((row) => JSON.stringify(row))),
  );
  expect(new Set(column('id', rows)).size).toBe(truth.length);
});

testDeep('an empty list has no rows, and neither has what is not there', () => {
  const keys = exported().bucket.objects.map(({ key }) => key);
  expect(keys).toContain(pointersKey('empty', 'customers', LATEST_EXPORT));
  for (const connection of ['empty', 'unknown']) {
    const sql = `SELECT count(*) AS n FROM latest_customers WHERE connection = '${connection}'`;
    expect(rowsOf(sql)).toEqual([{ n: '0' }]);
  }
});

/** What Athena and DuckDB write differently. */
const TRANSLATED: readonly (readonly [string, string])[] = [
  ['ARRAY(VARCHAR)', 'VARCHAR[]'],
  ["WITH (format = 'PARQUET') ", ''],
];

testDeep('every query of docs/athena.md runs, and finds what it says', () => {
  const { template, bucket, firstExportId, newest, invoices } = exported();
  const queries = athenaQueries.map((sql) =>
    TRANSLATED.reduce((text, [athena, duckdb]) => text.replaceAll(athena, duckdb), sql).replaceAll(
      'request-0123456789abcdef0123',
      firstExportId,
    ),
  );
  const named = Object.fromEntries(queries.map((sql, index) => [`${index}`, sql]));
  const answers = Object.values(askEngine(statementsFor(template, bucket), named)).map(rowsIn);
  const payers = invoices.map((record) => /"customer":\{"id":(\d+)/.exec(record)?.[1]);
  const tags = newest.flatMap((record) => JSON.parse(record).tags ?? []);

  expect(answers.map((rows) => rows.length)).toEqual([
    1,
    100,
    new Set(tags).size,
    new Set(payers).size,
    1,
    partsOf(firstExportId),
    1,
  ]);
  const [count, , perTag = [], perPayer = [], changed] = answers;
  expect(count).toEqual([{ customers: String(newest.length) }]);
  expect(perTag.reduce((sum, { customers }) => sum + Number(customers), 0)).toBe(tags.length);
  expect(perPayer.reduce((sum, row) => sum + Number(row['invoices']), 0)).toBe(invoices.length);
  expect(changed).toEqual([{ id: /"id":(\d+)/.exec(newest.at(-1) ?? '')?.[1], what: 'added' }]);
});

testDeep('every view and every query of docs/athena.md is SQL of Athena', async () => {
  const views = viewsIn(exported().template).map(({ originalSql }) => originalSql);
  const wrong = 'SELECT record::JSON FROM exports';
  const [ofWrong, ...others] = await trinoProblems([wrong, ...views, ...athenaQueries]);

  expect(views.length).toBe(2);
  expect(athenaPage).toContain(`CREATE OR REPLACE VIEW latest_customers AS ${views[0]}`);
  expect(ofWrong).not.toEqual([]);
  expect(others.flat()).toEqual([]);
});

testDeep('the types that the command prints compile, and take the records', async () => {
  const { schema, newest } = exported();
  const folder = sourceFolder();
  const printed = (as: string) => printedSource(schema, '--as', as, '--name', 'Customer');
  try {
    writeFileSync(join(folder, 'customer.ts'), await printed('typescript'));
    writeFileSync(join(folder, 'schema.ts'), await printed('valibot'));
    const records = newest.slice(0, 50).map((text) => JSON.stringify(parseExactly(text)));
    const uses = [
      "import type { Customer } from './customer.ts';",
      "import type { Customer as Checked } from './schema.ts';",
      'export const same = (record: Checked): Customer => record;',
      ...records.map((record, n) => `export const r${n}: Customer = ${record};`),
    ];
    writeFileSync(join(folder, 'uses.ts'), uses.join('\n'));
    const files = ['customer.ts', 'schema.ts', 'uses.ts'];

    expect(compilerProblems(folder, files)).toBe('');

    writeFileSync(
      join(folder, 'wrong.ts'),
      `${uses[0]} export const id = (r: Customer): Date => r.id;`,
    );
    expect(compilerProblems(folder, ['wrong.ts'])).toMatch(/TS2322/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

testDeep('the view that the command prints has the values of the records', async () => {
  const { template, bucket, schema, newest } = exported();
  const options = ['--as', 'athena-view', '--name', 'columns', '--depth', '2'];
  const sql = await printedSource(schema, ...options);
  // DuckDB writes a name in a path as `."name"`, and none can be empty.
  const translated = sql
    .replaceAll(/,\n.*\[""\].*?(?=,?\n)/g, '')
    .replaceAll(/\["((?:[^"\\]|\\.)+)"\]/g, '."$1"');
  const setup = [...statementsFor(template, bucket), translated];
  const { answer } = askEngine(setup, { answer: 'SELECT * FROM columns' });

  expect((await trinoProblems([sql])).flat()).toEqual([]);
  expect(rowsIn(answer)).toHaveLength(newest.length);
  const columns = new Map(rowsIn(answer).map((row) => [row['record'], row]));
  for (const record of newest) {
    const { name, active, address } = JSON.parse(record);
    expect(columns.get(record)).toMatchObject({
      connection: 'demo',
      id: /"id":(\d+)/.exec(record)?.[1],
      name,
      active: active ?? null,
      address_city: address?.city ?? null,
    });
  }
});

/** What the command prints of a report on its standard input. */
async function printedSource(schema: string, ...options: readonly string[]): Promise<string> {
  const surroundings = sampleSurroundings();
  surroundings.stdin.end(schema);
  await runCommand([SCHEMA], ['schema', '-', ...options], surroundings);
  return surroundings.said.stdout;
}
