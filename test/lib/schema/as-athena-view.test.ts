import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { asAthenaView } from '../../../lib/schema/as-athena-view.ts';
import { viewColumns } from '../../../lib/schema/view-columns.ts';
import { anyRecord, describe } from './any-record.ts';

const VIEW = { name: 'acme_customers', from: 'latest_customers', connection: 'acme', depth: 3 };

test('gives each place a column of its type, and what no type keeps as text', () => {
  const report = describe(
    '{"id":9007199254740993,"n":1,"sum":1.5,"active":true,"name":"x","mixed":1,"tags":[1],"home":{"city":"Ulm","geo":{"at":{"lat":1}}},"none":null,"odd":[1]}',
    '{"id":1,"n":null,"sum":2,"active":false,"name":null,"mixed":"1","tags":[],"home":null,"odd":"x"}',
  );

  expect(asAthenaView(report, VIEW)).toBe(`-- From 2 records.
CREATE OR REPLACE VIEW "acme_customers" AS
SELECT
  connection,
  record,
  json_extract_scalar(record, '$["id"]') AS "id",
  CAST(json_extract_scalar(record, '$["n"]') AS bigint) AS "n",
  CAST(json_extract_scalar(record, '$["sum"]') AS double) AS "sum",
  CAST(json_extract_scalar(record, '$["active"]') AS boolean) AS "active",
  json_extract_scalar(record, '$["name"]') AS "name",
  json_extract_scalar(record, '$["mixed"]') AS "mixed",
  nullif(json_format(json_extract(record, '$["tags"]')), 'null') AS "tags",
  json_extract_scalar(record, '$["home"]["city"]') AS "home_city",
  nullif(json_format(json_extract(record, '$["home"]["geo"]["at"]')), 'null') AS "home_geo_at",
  json_extract_scalar(record, '$["none"]') AS "none",
  coalesce(json_extract_scalar(record, '$["odd"]'), nullif(json_format(json_extract(record, '$["odd"]')), 'null')) AS "odd"
FROM "latest_customers"
WHERE connection = 'acme';
`);
});

test('quotes what names hold, and gives no two columns one name', () => {
  const names = ['select', 'a.b', 'a_b', 'A-B', "it's", '"', '\\', '', '7', 'record', '名前'];
  const report = describe(`{${names.map((name) => `${JSON.stringify(name)}:"x"`).join(',')}}`);
  const lines = asAthenaView(report, VIEW).split('\n');

  expect(lines.filter((line) => line.includes('$["')).map((line) => line.trim())).toEqual([
    `json_extract_scalar(record, '$["select"]') AS "select",`,
    `json_extract_scalar(record, '$["a.b"]') AS "a_b",`,
    `json_extract_scalar(record, '$["a_b"]') AS "a_b_2",`,
    `json_extract_scalar(record, '$["A-B"]') AS "a_b_3",`,
    `json_extract_scalar(record, '$["it''s"]') AS "it_s",`,
    `json_extract_scalar(record, '$["\\""]') AS "c_",`,
    `json_extract_scalar(record, '$["\\\\"]') AS "c__2",`,
    `json_extract_scalar(record, '$[""]') AS "c__3",`,
    `json_extract_scalar(record, '$["7"]') AS "c_7",`,
    `json_extract_scalar(record, '$["record"]') AS "record_2",`,
    `json_extract_scalar(record, '$["名前"]') AS "c__4"`,
  ]);
});

test('reads every scalar of any record at a path that exists in it', () => {
  fc.assert(
    fc.property(anyRecord, (text) => {
      const { record } = describe(text);
      // Of a member that is there twice, JSON.parse has the last one.
      fc.pre(!JSON.stringify(record).includes('"repeated"'));
      const columns = viewColumns(record, 10, ['record']);
      expect(new Set(columns.map(({ name }) => name)).size).toBe(columns.length);
      for (const { name, path } of columns) {
        expect(name).toMatch(/^[a-z][a-z0-9_]*$/);
        const read = (value: unknown, step: string): unknown =>
          typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
        expect(path.reduce(read, JSON.parse(text))).not.toBe(undefined);
      }
    }),
  );
});

test('refuses a view that Athena would not take, naming what makes it smaller', () => {
  const inner = Array.from({ length: 100 }, (_, n) => `"${'m'.repeat(60)}${n}":1`).join(',');
  const outer = Array.from({ length: 40 }, (_, n) => `"o${n}":{${inner}}`).join(',');

  expect(() => asAthenaView(describe(`{${outer}}`), VIEW)).toThrow(
    'depth: a view of 4000 columns is longer than the 262144 bytes that Athena takes. Expected less than 3',
  );
});
