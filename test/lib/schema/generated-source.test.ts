import { rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { customerSource } from '../../../infra/simulator/customers.ts';
import { parseExactly } from '../../../lib/json/parse-exactly.ts';
import { asAthenaView } from '../../../lib/schema/as-athena-view.ts';
import { asTypeScript } from '../../../lib/schema/as-typescript.ts';
import { asValibot } from '../../../lib/schema/as-valibot.ts';
import { SHAPE_LIMITS } from '../../../lib/schema/shape.ts';
import { anyRecord, describe } from './any-record.ts';
import { compilerProblems, sourceFolder } from './compile-source.ts';

const customers = Array.from({ length: 300 }, (_, n) => customerSource(1, 0).textOf(n, 1));

const ODD = [
  '{"id":1,"a.b":"x","it\'s":[{"\\u2028":1},[]],"größe":null,"":true,"class":1e3}',
  '{"id":"7"}',
];

test('writes a type that reads like the records', () => {
  const source = asTypeScript(
    describe(
      '{"id":9007199254740993,"at":"2026-11-22","tags":["a"],"home":{"zip":1,"x-y":null}}',
      '{"id":1,"at":"2026-11-23","tags":[],"home":{"zip":"1"},"more":{}}',
    ),
    'Customer',
  );

  expect(source).toBe(`// From 2 records.
export type Customer = {
  /** Numbers with more digits than JavaScript keeps: the client gives them as text. */
  readonly id: string | number;
  /** A date, such as 2026-11-22. */
  readonly at: string;
  readonly tags: ReadonlyArray<string>;
  readonly home: {
    readonly zip: string | number;
    readonly "x-y"?: null;
  };
  readonly more?: {
    readonly [member: string]: unknown;
  };
};
`);
});

test('writes a schema that reads like the records', () => {
  const source = asValibot(
    describe('{"id":1,"tags":["a",null],"toString":1}', '{"id":"1","home":{}}'),
    'Customer',
  );

  expect(source).toBe(`import * as v from 'valibot';

// From 2 records.
export const CustomerSchema = v.looseObject({
  "id": v.union([v.string(), v.number()]),
  "tags": v.exactOptional(v.array(v.nullable(v.string()))),
  // "toString" is left out: every object inherits one of this name.
  "home": v.exactOptional(v.looseObject({})),
});

export type Customer = v.InferOutput<typeof CustomerSchema>;
`);
});

test('says first when the record itself has more names than the report names', () => {
  const names = Array.from({ length: SHAPE_LIMITS.namesPerObject + 1 }, (_, n) => `"n${n}":1`);
  const report = describe(`{${names.join(',')}}`);
  const remark = '// From 1 records.\n// Has more names than the report names.\n';
  const view = { name: 'all', from: 'latest_customers', connection: 'acme', depth: 3 };

  expect(asTypeScript(report, 'Wide')).toContain(remark);
  expect(asValibot(report, 'Wide')).toContain(remark);
  expect(asAthenaView(report, view)).toContain(remark.replaceAll('//', '--'));
});

test.each([
  ['JSON.parse', JSON.parse],
  ['the client', parseExactly],
])('every record as %s gives it fits the schema that was made of all', (_, parse) => {
  fc.assert(
    fc.property(fc.array(anyRecord, { minLength: 1, maxLength: 6 }), (records) => {
      const schema = loaded(asValibot(describe(...records), 'Any'));
      for (const text of records) expect(v.is(schema, parse(text))).toBe(true);
    }),
  );
  const schema = loaded(asValibot(describe(...customers), 'Customer'));
  for (const text of customers) expect(v.is(schema, parse(text))).toBe(true);
  expect(v.is(schema, { ...JSON.parse(customers[0] ?? ''), id: true })).toBe(false);
});

test('types and schemas compile, fit each other, and take the records themselves', () => {
  const folder = sourceFolder();
  try {
    const lists = [ODD, customers.slice(0, 20), fc.sample(anyRecord, { numRuns: 30, seed: 1 })];
    const files = lists.flatMap((records, index) =>
      compiled(records, join(folder, String(index)), index < 2),
    );
    expect(compilerProblems(folder, files)).toBe('');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

function compiled(
  records: readonly string[],
  file: string,
  withRecords: boolean,
): readonly string[] {
  const report = describe(...records);
  writeFileSync(`${file}-type.ts`, asTypeScript(report, 'FromType'));
  writeFileSync(`${file}-schema.ts`, asValibot(report, 'FromSchema'));
  const uses = [
    `import type { FromType } from './${basename(file)}-type.ts';`,
    `import type { FromSchema } from './${basename(file)}-schema.ts';`,
    'export const same = (record: FromSchema): FromType => record;',
    ...records.map(
      (text, n) =>
        `const r${n} = ${JSON.stringify(JSON.parse(text))}; export const t${n}: FromType = r${n};`,
    ),
  ];
  writeFileSync(`${file}-uses.ts`, withRecords ? uses.join('\n') : '');
  return ['type', 'schema', 'uses'].map((kind) => `${file}-${kind}.ts`);
}

/** The schema of a generated file. */
function loaded(source: string): v.GenericSchema {
  const [, expression] = /= (v\.[\s\S]*?);\n\nexport type/.exec(source) ?? [];
  return new Function('v', `return ${expression}`)(v);
}
