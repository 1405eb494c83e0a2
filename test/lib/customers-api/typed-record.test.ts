import { inspect } from 'node:util';
import { runInNewContext } from 'node:vm';
import { expect, jest, test } from '@jest/globals';
import { type } from 'arktype';
import fc from 'fast-check';
import * as v from 'valibot';
import * as z from 'zod';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import type { Misfit } from '../../../lib/customers-api/misfit.ts';
import type { StandardSchemaV1 } from '../../../lib/customers-api/standard-schema.ts';

/** A client of an API with these records, given as JSON texts. */
function clientOf(...records: readonly string[]) {
  const body = `{"customers":[${records.join(',')}],"meta":{"total":${records.length},"pages":1}}`;
  return createCustomersClient({
    baseUrl: 'https://api.example.com',
    key: 'a-key-of-a-test',
    fetch: async (input) => {
      const isOne = (input instanceof Request ? input.url : String(input)).includes('/customers/');
      return new Response(isOne ? records[0] : body);
    },
  });
}

const address = { street: 'Main' };
const fitting = { id: 7, status: 'active', age: 30, address, tags: ['a'], balances: { x: 1 } };

/** The same schema in three libraries. */
const SCHEMAS = {
  valibot: v.object({
    id: v.number(),
    status: v.picklist(['active', 'paused']),
    age: v.pipe(v.number(), v.minValue(12)),
    email: v.optional(v.pipe(v.string(), v.email())),
    address: v.strictObject({ street: v.string() }),
    tags: v.array(v.string()),
    balances: v.record(v.string(), v.number()),
    pet: v.optional(v.union([v.string(), v.number()])),
    even: v.optional(
      v.pipe(
        v.number(),
        v.rawCheck(({ dataset, addIssue }) => {
          if (dataset.typed && dataset.value % 2 === 1) {
            addIssue({ message: `${dataset.value} is odd`, expected: `not ${dataset.value}` });
          }
        }),
      ),
    ),
  }),
  zod: z.object({
    id: z.number(),
    status: z.enum(['active', 'paused']),
    age: z.number().min(12),
    email: z.email().optional(),
    address: z.strictObject({ street: z.string() }),
    tags: z.array(z.string()),
    balances: z.record(z.string(), z.number()),
    pet: z.union([z.string(), z.number()]).optional(),
    even: z
      .number()
      .superRefine((value, context) => {
        if (value % 2 === 0) return;
        const origin = 'number';
        context.addIssue({ code: 'too_small', origin, minimum: value, message: `${value} is odd` });
      })
      .optional(),
  }),
  arktype: type({
    id: 'number',
    status: "'active' | 'paused'",
    age: 'number >= 12',
    'email?': 'string.email',
    address: { '+': 'reject', street: 'string' },
    tags: 'string[]',
    balances: { '[string]': 'number' },
    'pet?': 'string | number',
    'even?': type('number').narrow((value, context) =>
      value % 2 === 0 ? true : context.mustBe(`not ${value}`),
    ),
  }),
};
const LIBRARIES = Object.entries<StandardSchemaV1>(SCHEMAS);

async function misfitOf(schema: StandardSchemaV1, record: unknown): Promise<Misfit> {
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  const [checked] = await Array.fromAsync(clientOf(text).customers({ schema }));
  if (checked?.kind !== 'misfit') throw new Error(`Expected a misfit, got ${checked?.kind}`);
  return checked;
}

test.each(LIBRARIES)('%s: gives values, and the text beside them', async (_, schema) => {
  const text =
    '{"id":7, "status":"active","age":3e1,"address":{"street":"Main"},"tags":[],"balances":{}}';
  const records = await Array.fromAsync(clientOf(text).customers({ schema }));

  expect(records).toEqual([
    { kind: 'record', value: JSON.parse(text), text: text.replace(' ', ''), id: '7' },
  ]);
});

const CHECK = 'a value that passes the checks of the schema';
const NAMES = 'no other members than those of the schema';

/** What is wrong with a record, and what the misfit says by valibot, zod and arktype. */
const MISFITS: readonly (readonly [
  change: Readonly<Record<string, unknown>>,
  path: Misfit['path'],
  expected: Readonly<Record<string, string>>,
])[] = [
  [{ id: 'SECRET' }, ['id'], { valibot: 'number', zod: 'number', arktype: 'a number' }],
  [
    { id: undefined },
    ['id'],
    { valibot: 'a member of this name', zod: 'number', arktype: 'a number' },
  ],
  [
    { status: 'SECRET' },
    ['status'],
    {
      valibot: '("active" | "paused")',
      zod: '"active" | "paused"',
      arktype: '"active" | "paused"',
    },
  ],
  [{ age: 4711 / 1000 }, ['age'], { valibot: '>=12', zod: 'at least 12', arktype: 'at least 12' }],
  [{ email: 'SECRET' }, ['email'], { valibot: 'email', zod: 'email', arktype: 'an email address' }],
  [{ tags: ['a', 4711] }, ['tags', 1], { valibot: 'string', zod: 'string', arktype: 'a string' }],
  [
    { balances: { SECRET: 'SECRET' } },
    ['balances', '*'],
    { valibot: 'number', zod: 'number', arktype: 'a number' },
  ],
  [
    { pet: { SECRET: 4711 } },
    ['pet'],
    { valibot: '(string | number)', zod: 'string | number', arktype: 'a number or a string' },
  ],
  [{ even: 4711 }, ['even'], { valibot: CHECK, zod: CHECK, arktype: CHECK }],
];

const OF_ALL = LIBRARIES.flatMap(([library, schema]) =>
  MISFITS.map(([change, path, expected]) => ({
    library,
    schema,
    change,
    path,
    expected: expected[library],
  })),
);

test.each(OF_ALL)(
  '$library: of a record with $change names path and expectation, and nothing of the record',
  async ({ schema, change, path, expected }) => {
    const record = { ...fitting, ...change };
    const misfit = await misfitOf(schema, record);

    expect(misfit).toEqual({ kind: 'misfit', path, expected });
    expect(`${JSON.stringify(misfit)}${inspect(misfit)}${String(misfit)}`).not.toMatch(
      /SECRET|4711/,
    );
    expect(JSON.stringify({ ...misfit })).not.toMatch(/SECRET|4711|street/);
    expect(misfit.text).toBe(JSON.stringify(record));
    expect(misfit.id).toBe(record.id === undefined ? undefined : JSON.stringify(record.id));
  },
);

test.each(LIBRARIES)(
  '%s: shows no name of a member that the schema does not know',
  async (name, schema) => {
    const record = { ...fitting, address: { street: 'Main', SECRET: 1 } };
    const misfit = await misfitOf(schema, record);

    const ofMember = { path: ['address', '*'], expected: name === 'valibot' ? 'never' : 'removed' };
    expect(misfit).toMatchObject(
      name === 'zod' ? { path: ['address'], expected: NAMES } : ofMember,
    );
    expect(inspect(misfit)).not.toContain('SECRET');
  },
);

test.each(LIBRARIES)('%s: shows nothing of any record, whatever it holds', async (_, schema) => {
  const secret = fc
    .string({ unit: fc.constantFrom(...'QXZ'), minLength: 4, maxLength: 8 })
    .map((text) => `${text}ß`);
  const json = fc.letrec((tie) => ({
    any: fc.oneof({ depthSize: 'small' }, secret, tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    object: fc.dictionary(fc.oneof(secret, fc.constantFrom(...Object.keys(fitting))), tie('any')),
  })).any;
  const members = fc.record({
    id: json,
    address: json,
    tags: json,
    balances: json,
    pet: json,
    even: json,
  });
  await fc.assert(
    fc.asyncProperty(members, async (record) => {
      expect(inspect(await misfitOf(schema, record))).not.toMatch(/[QXZß]{3}/);
    }),
    { numRuns: 60 },
  );
});

const codes = Array.from({ length: 800 }, (_, n) => `code ${n}`);
const even = z
  .number()
  .superRefine((value, context) =>
    context.addIssue({ code: 'too_small', origin: 'number', minimum: value }),
  );

test.each<[string, StandardSchemaV1]>([
  [
    'valibot',
    v.object({
      code: v.optional(v.picklist(codes)),
      balances: v.record(v.string(), v.number()),
    }),
  ],
  ['zod', z.object({ code: z.enum(codes).optional(), balances: z.record(z.string(), even) })],
  ['arktype', type({ 'code?': type.enumerated(...codes), balances: { '[string]': 'number' } })],
])('%s: takes no number of a record for one of the schema', async (name, schema) => {
  // A list of so many codes has places of these numbers.
  for (const number of [711, 1, 4]) {
    const misfit = await misfitOf(schema, {
      balances: { [number]: name === 'zod' ? number : 'x' },
    });

    expect(misfit.path).toEqual(['balances', '*']);
    expect(inspect(misfit)).not.toContain('711');
  }
});

interface Group {
  readonly name: string;
  readonly inner?: Group | undefined;
}
const valibotGroup: v.GenericSchema<Group> = v.object({
  name: v.string(),
  inner: v.optional(v.lazy(() => valibotGroup)),
});
const zodGroup = z.object({
  name: z.string(),
  get inner() {
    return zodGroup.optional();
  },
});

test.each([
  ['valibot', valibotGroup, 'string'],
  ['zod', zodGroup, 'string'],
  ['arktype', type({ name: 'string', 'inner?': 'this' }), 'a string'],
])(
  '%s: names the place in a schema that holds itself',
  async (_, schema: StandardSchemaV1, expected) => {
    const record = { name: 'a', inner: { name: 'b', inner: { name: 4711 } } };

    expect(await misfitOf(schema, record)).toMatchObject({
      path: ['inner', 'inner', 'name'],
      expected,
    });
  },
);

test.each([
  ['valibot', v.looseObject({ a: v.variant('kind', [v.object({ kind: v.literal('x') })]) }), '"x"'],
  [
    'zod',
    z.object({ a: z.discriminatedUnion('kind', [z.object({ kind: z.literal('x') })]) }),
    '"x"',
  ],
  ['arktype', type({ a: { kind: "'x'" } }), '"x"'],
])(
  '%s: names the member by which variants are told apart',
  async (_, schema: StandardSchemaV1, expected) => {
    expect(await misfitOf(schema, { a: { kind: 'SECRET' } })).toMatchObject({
      path: ['a', 'kind'],
      expected,
    });
  },
);

test('calls nothing of a schema but getters of plain objects, and goes on when they throw', async () => {
  const called: string[] = [];
  class Library {
    readonly names = ['id'];
    readonly '~standard' = schemaWith(() => ({ issues: [{ message: '', path: ['id'] }] }))[
      '~standard'
    ];
    readonly make = () => called.push('function');
    constructor() {
      const get = () => called.push('getter of a class');
      Object.defineProperty(this, 'heavy', { get, enumerable: true });
    }
    readonly shape = {
      get lazy() {
        called.push('getter of a plain object');
        throw new Error('Not yet.');
      },
    };
  }

  expect(await misfitOf(new Library(), { id: 1 })).toMatchObject({ path: ['id'] });
  expect(called).toEqual(['getter of a plain object']);
});

test('a schema that throws gives a misfit that quotes nothing', async () => {
  const schema = v.pipe(
    v.object({ id: v.string() }),
    v.transform(({ id }) => BigInt(id)),
  );
  const misfit = await misfitOf(schema, { id: 'SECRET' });

  expect(misfit).toEqual({
    kind: 'misfit',
    path: [],
    expected: 'a record over which the schema does not throw (SyntaxError)',
  });
});

test('a schema that throws what itself throws when it is read gives a misfit too', async () => {
  const get = () => JSON.parse('none');
  const schema = schemaWith(() => {
    throw Object.defineProperty(new Error('SECRET'), 'name', { get });
  });

  expect(await misfitOf(schema, { id: 1 })).toMatchObject({
    expected: 'a record over which the schema does not throw (an error)',
  });
});

/** Of a library that nobody knows. */
const schemaWith = (validate: StandardSchemaV1['~standard']['validate']): StandardSchemaV1 => ({
  '~standard': { version: 1, vendor: 'nobody', validate },
});

test.each([
  [[{ message: 'SECRET', path: ['SECRET', { key: 'id' }, 4711] }], ['*', '*', '*']],
  [[{ message: 'SECRET', expected: 'SECRET', path: [] }], []],
  [[], []],
])(
  'of an unknown library shows nothing that it does not know to be safe: %j',
  async (issues, path) => {
    const misfit = await misfitOf(
      schemaWith(() => ({ issues })),
      { id: 1 },
    );

    expect(misfit).toEqual({ kind: 'misfit', path, expected: CHECK });
  },
);

test('shows no number as an index that the list does not have', async () => {
  const schema = schemaWith(() => ({ issues: [{ message: '', path: ['tags', 4711] }] }));

  expect(await misfitOf(schema, { tags: [4711] })).toMatchObject({ path: ['*', '*'] });
});

test('shows nothing that a schema remembers of records', async () => {
  const seen: unknown[] = [];
  const schema = schemaWith((record) => {
    seen.push(record, 'SECRET');
    return { issues: [{ message: '', path: ['SECRET'] }] };
  });

  expect(await misfitOf({ ...schema, ...{ seen } }, { SECRET: 1 })).toMatchObject({ path: ['*'] });
});

test('waits for a schema that is asynchronous, one record after the other', async () => {
  let underWay = 0;
  const schema = v.pipeAsync(
    v.object({ id: v.number() }),
    v.checkAsync(async ({ id }) => {
      expect(++underWay).toBe(1);
      await Promise.resolve();
      underWay--;
      return id !== 2;
    }),
  );
  const client = clientOf('{"id":1}', '{"id":2}', '{"id":3}');
  const [page] = await Array.fromAsync(client.pages({ schema }));

  expect(page?.checked.map(({ kind }) => kind)).toEqual(['record', 'misfit', 'record']);
  expect(await Array.fromAsync(client.customers({ schema }), ({ kind }) => kind)).toEqual(
    page?.checked.map(({ kind }) => kind),
  );
});

test('waits for promises of other libraries and realms too', async () => {
  const promise = runInNewContext('Promise.resolve({ issues: [{ message: "", path: ["id"] }] })');

  expect(
    await misfitOf(
      schemaWith(() => promise),
      { id: 1 },
    ),
  ).toMatchObject({ kind: 'misfit' });
});

test('gives checked values of single pages and resources too', async () => {
  const client = clientOf('{"id":1,"name":"Jo"}', '{"id":"2"}');
  const schema = z.object({ id: z.number(), name: z.string().transform((name) => name.length) });
  const page = await client.listPage(1, { schema });
  const resource = await client.read({ resource: 'customers/1', schema });

  expect(page).toMatchObject({
    kind: 'page',
    records: ['{"id":1,"name":"Jo"}', '{"id":"2"}'],
    checked: [
      { kind: 'record', value: { id: 1, name: 2 }, text: '{"id":1,"name":"Jo"}' },
      { kind: 'misfit', path: ['id'], expected: 'number' },
    ],
  });
  expect(resource).toMatchObject({
    checked: { kind: 'record', value: { id: 1, name: 2 }, id: '1' },
  });
});

const LONG = '{"id":9007199254740993,"rate":0.1}';

test('without a schema gives the exact text, and a value that lost no digit', async () => {
  const [record] = await Array.fromAsync(clientOf(LONG).customers());

  expect(record).toEqual({
    kind: 'record',
    text: LONG,
    value: { id: '9007199254740993', rate: 0.1 },
    id: '9007199254740993',
  });
});

test.each([
  ['valibot', v.object({ id: v.number() }), 'number'],
  ['zod', z.object({ id: z.number() }), 'number'],
  ['arktype', type({ id: 'number' }), 'a number'],
])(
  '%s: a number with more digits than JavaScript holds is no number, and the misfit says why',
  async (_, schema, expected) => {
    expect(await misfitOf(schema, LONG)).toMatchObject({
      path: ['id'],
      expected: `${expected} (the record has a number with more digits than JavaScript holds, which is given as text)`,
    });
  },
);

test.each([
  [
    'valibot',
    v.object({
      id: v.pipe(
        v.union([v.string(), v.number()]),
        v.transform((id) => BigInt(id)),
      ),
    }),
  ],
  ['zod', z.object({ id: z.coerce.bigint() })],
  ['arktype', type({ id: type('string | number').pipe(BigInt) })],
])('%s: can make a bigint of an id of any length', async (_, schema) => {
  const records = await Array.fromAsync(clientOf(LONG, '{"id":7}').customers({ schema }));

  expect(records).toMatchObject([{ value: { id: 9007199254740993n } }, { value: { id: 7n } }]);
});

test('who reads only texts pays for no parsing', async () => {
  const client = clientOf(LONG, '{"id":7}');
  const page = await client.listPage(1);
  const parse = jest.spyOn(JSON, 'parse');
  try {
    const records = await Array.fromAsync(client.customers(), ({ text }) => text);

    expect(page).toMatchObject({ records });
    expect(parse.mock.calls.filter(([text]) => records.includes(text))).toEqual([]);
  } finally {
    parse.mockRestore();
  }
});

test.each([7, {}, { '~standard': { version: 2, validate: () => ({ value: 1 }) } }, null])(
  'fails before any request for %p, which is no schema',
  async (wrong) => {
    const schema = Object({ schema: wrong }).schema;
    const client = createCustomersClient({
      baseUrl: 'https://api.example.com',
      key: 'a-key-of-a-test',
      fetch: () => Promise.reject(new Error('A request was made.')),
    });
    const failure = { name: 'SettingError', setting: 'schema' };

    await expect(Array.fromAsync(client.customers({ schema }))).rejects.toMatchObject(failure);
    await expect(Array.fromAsync(client.pages({ schema }))).rejects.toMatchObject(failure);
    await expect(client.listPage(1, { schema })).rejects.toMatchObject(failure);
    await expect(client.read({ resource: 'customers/1', schema })).rejects.toMatchObject(failure);
  },
);
