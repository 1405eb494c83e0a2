import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type JsonBody, readJsonBody } from '../../../lib/customers-api/answer-json.ts';
import type { Page, Refused } from '../../../lib/customers-api/outcome.ts';
import { pageOf } from '../../../lib/customers-api/page.ts';
import { isCutJson } from '../../../lib/json/json-text.ts';
import { anyCharacter } from '../../any-character.ts';
import { amountOf } from '../../deep/depth.ts';

const numRuns = amountOf({ short: 50, deep: 2_000 });

function read(text: string, itemsKey?: string, resource = 'customers'): Page | Refused {
  return pageOf(bodyOf(text), {
    page: 1,
    resource,
    itemsKey,
    metaKeys: {},
    idKey: 'id',
    facts: { status: 200 },
    holdsKey: () => false,
  });
}

function bodyOf(text: string): JsonBody {
  const answer = { kind: 'answer', status: 200, headers: new Headers() } as const;
  const received = { bytes: Buffer.from(text), release: () => {} };
  const body = readJsonBody({ ...answer, body: received }, () => false, Number.MAX_VALUE);
  if (body.kind !== 'json') throw new Error(body.problem);
  return body;
}

function recordsIn(text: string, itemsKey?: string, resource?: string): readonly string[] {
  const page = read(text, itemsKey, resource);
  if (page.kind !== 'page') throw new Error(page.message);
  return page.records;
}

const space = fc.string({ unit: fc.constantFrom(' ', '\t', '\n', '\r') });

/** A JSON text as an API may write it, and the same without insignificant white space. */
const { value: jsonText } = fc.letrec<{ value: Written; object: Written; array: Written }>(
  (tie) => ({
    value: fc.oneof({ depthSize: 'small' }, scalar(), tie('object'), tie('array')),
    array: fc.array(fc.tuple(space, tie('value'), space)).map((items) => join('[', items, ']')),
    object: fc
      .array(fc.tuple(space, fc.tuple(stringText(), space, tie('value')).map(member), space))
      .map((members) => join('{', members, '}')),
  }),
);

interface Written {
  readonly spaced: string;
  readonly compact: string;
}

test('gives any JSON value back as the same text but for insignificant white space', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(space, jsonText, space)), space, (items, around) => {
      const list = join('[', items, ']').spaced;

      const records = recordsIn(
        `${around}{"meta":{"total":3} ,"customers":${around}${list}}${around}`,
      );

      expect(records).toEqual(items.map(([, item]) => item.compact));
    }),
    { numRuns },
  );
});

test('gives any JSON value back as the same text when there is no white space', () => {
  fc.assert(
    fc.property(fc.array(jsonText), jsonText, (items, other) => {
      const records = items.map(({ compact }) => compact);

      const page = read(`{"other":${other.compact},"customers":[${records}],"meta":{"total":3}}`);

      expect(page).toMatchObject({ records, recordCount: records.length, meta: { total: 3 } });
    }),
    { numRuns },
  );
});

test('keeps a meta block as it was written although the list is in it', () => {
  const meta = '{"customers":[{"id":1},{"id":2}],"total":2}';

  expect(read(`{"meta":${meta}}`, 'meta.customers')).toMatchObject({
    metaText: meta,
    records: ['{"id":1}', '{"id":2}'],
  });
});

test('gives the id as it is written: every digit of a number, a string with its quotes', () => {
  const page = read(
    '{"customers":[{"id":9007199254740993},{"id":"0042"},{"name":"x"},7,{"id":1,"id":2},{"n":{"id":1}}]}',
  );

  expect(page).toMatchObject({
    ids: ['9007199254740993', '"0042"', undefined, undefined, '1', undefined],
  });
});

test.each([
  ['the resource beside other arrays', '{"data":[1],"items":[2],"customers":["it"]}'],
  ['another spelling of the resource', '{"Customers":["it"],"rows":[]}'],
  ['a usual name', '{"data":["it"],"included":["other"]}'],
  ['an envelope', '{"data":{"customers":["it"]},"meta":{"total":1}}'],
  ['a HAL envelope', '{"_embedded":{"customers":["it"]},"page":{"size":1}}'],
  ['a bare array', '["it"]'],
  ['names with escapes', '{"c\\u0075stomers":["it"]}'],
])('finds the list: %s', (_, text) => {
  expect(recordsIn(text)).toEqual(['"it"']);
});

test('finds the list of a resource below another under its last segment', () => {
  expect(
    recordsIn('{"open_orders":[1],"customers":[2]}', undefined, 'customers/42/open-orders'),
  ).toEqual(['1']);
});

test.each([
  ['{"a":{"b":["it"]},"customers":[]}', 'a.b'],
  ['{"people":["it"],"customers":[]}', 'people'],
])('finds the list where itemsKey says, in %s', (text, itemsKey) => {
  expect(recordsIn(text, itemsKey)).toEqual(['"it"']);
});

test.each([
  [
    'two usual names',
    '{"data":[1],"items":[2]}',
    undefined,
    'items-ambiguous',
    /data, items.*Set itemsKey/,
  ],
  [
    'no list under names of a vocabulary',
    '{"hydra:view":{},"@id":"x"}',
    undefined,
    'items-missing',
    /its members: hydra:view, @id\)/,
  ],
  [
    'two unusual names',
    '{"clients":[{}],"people":[{}]}',
    undefined,
    'items-ambiguous',
    /clients, people/,
  ],
  [
    'the same name twice',
    '{"customers":[1],"customers":[2]}',
    undefined,
    'items-ambiguous',
    /itemsKey/,
  ],
  [
    'two envelopes',
    '{"a":{"data":[1]},"b":{"data":[2]}}',
    undefined,
    'items-ambiguous',
    /itemsKey/,
  ],
  [
    'a member of that name that is no list, beside another array',
    '{"customers":{"1":{}},"columns":[{}],"meta":{"total":1}}',
    undefined,
    'items-missing',
    /customers, columns/,
  ],
  [
    'an array of something else',
    '{"user":{"roles":["admin"]},"version":1}',
    undefined,
    'items-missing',
    /itemsKey/,
  ],
  ['no array', '{"customers":{"1":{}},"total":1}', undefined, 'items-missing', /customers, total/],
  ['a scalar', '42', undefined, 'items-missing', /no list of customers/],
  [
    'itemsKey that is not there',
    '{"customers":[]}',
    'people',
    'items-missing',
    /itemsKey is "people"/,
  ],
  ['itemsKey that is no array', '{"people":{}}', 'people', 'items-missing', /itemsKey is "people"/],
])('fails for %s, naming itemsKey', (_, text, itemsKey, reason, message) => {
  expect(read(text, itemsKey)).toMatchObject({ kind: 'refused', reason });
  expect(read(text, itemsKey)).toMatchObject({ message: expect.stringMatching(message) });
});

test('keeps the meta block as it was written', () => {
  const page = read('{"meta" : { "total" : 1.0 , "x":9007199254740993},"customers":[]}');

  expect(page).toMatchObject({
    meta: { total: 1 },
    metaText: '{ "total" : 1.0 , "x":9007199254740993}',
  });
});

test('tells a JSON text that was cut anywhere from one that is whole', () => {
  const text = '{"customers":[{"id":1,"name":"a\\"]}","tags":[[],{}]}],"meta":{"total":1}}';

  for (let length = 0; length < text.length; length++) {
    expect(isCutJson(Buffer.from(text.slice(0, length)))).toBe(true);
  }
  expect(isCutJson(Buffer.from(text))).toBe(false);
});

test.each(['<html>', 'Not found', '{"a":nul}', '}{', 'nope{"a":['])(
  'takes %s for no JSON',
  (text) => {
    expect(isCutJson(Buffer.from(text))).toBe(false);
  },
);

function scalar(): fc.Arbitrary<Written> {
  const number = fc
    .stringMatching(/^-?(0|[1-9]\d{0,30})(\.\d{1,9})?([eE][+-]?\d{1,4})?$/)
    .map(same);
  return fc.oneof(fc.constantFrom('null', 'true', 'false', '""').map(same), number, stringText());
}

/** Strings with escapes that JSON.stringify would not write. */
function stringText(): fc.Arbitrary<Written> {
  const escaped = fc.constantFrom(
    '\\"',
    '\\\\',
    '\\/',
    '\\n',
    '\\u0041',
    '\\ud800',
    '\\uDC00',
    '\\u2028',
    ' ',
    '{',
    ']',
    ',',
  );
  const plain = fc
    .string({ unit: anyCharacter, maxLength: 5 })
    .map((text) => JSON.stringify(text).slice(1, -1));
  return fc
    .array(fc.oneof(escaped, plain), { maxLength: 5 })
    .map((parts) => same(`"${parts.join('')}"`));
}

function same(text: string): Written {
  return { spaced: text, compact: text };
}

function member([name, gap, value]: [Written, string, Written]): Written {
  return {
    spaced: `${name.spaced}${gap}:${gap}${value.spaced}`,
    compact: `${name.compact}:${value.compact}`,
  };
}

function join(open: string, items: readonly [string, Written, string][], close: string): Written {
  return {
    spaced:
      open + items.map(([before, item, after]) => before + item.spaced + after).join(',') + close,
    compact: open + items.map(([, item]) => item.compact).join(',') + close,
  };
}

test('makes texts and ids only when they are asked for', () => {
  const page = read('{"customers":[{"id":1}]}');

  expect(Object.getOwnPropertyDescriptor(page, 'records')?.get).toBeDefined();
  expect(Object.getOwnPropertyDescriptor(page, 'ids')?.get).toBeDefined();
});

test.each([
  '{"success":0,"message":"Invalid API key","data":[]}',
  '{"Error":"db down","Success":false,"customers":[]}',
  '{"statusCode":401,"message":"Unauthorized","data":[]}',
  '{"code":429,"customers":[]}',
  '{"status":false,"customers":[ ]}',
  '{"meta":{"code":500,"error":"db down"},"customers":[]}',
  '{"code":500,"message":"No.","customers":[{"id":1}]}',
])('a list is refused whose body reports an error: %s', (text) => {
  expect(read(text)).toMatchObject({ kind: 'refused', reason: 'error-body' });
});

test.each([
  ['{"status":404,"data":[]}', '404'],
  ['{"code":404,"data":[]}', '404'],
  ['{"meta":{"code":404},"data":[]}', '404'],
  ['{"status":{"code":404},"data":[]}', '404'],
])('a refused list without records has the code of its error: %s', (text, apiCode) => {
  expect(read(text)).toMatchObject({ kind: 'refused', reason: 'error-body', apiCode });
});

test.each([
  ['{"customers":[{"id":1,"status":404,"message":"No.","error":"No."}],"status":"ok"}', 1],
  ['{"customers":[{"id":1}],"code":404}', 1],
  ['{"data":{"customers":[],"code":404,"message":"No."}}', 0],
  ['{"customers":[],"message":"There are none.","meta":{"total":0,"code":200}}', 0],
  ['[{"status":500,"message":"No."}]', 1],
  ['{"errorCode":200,"message":"Fine.","customers":[]}', 0],
  ['{"errMsg":"request:ok","customers":[{"id":1}]}', 1],
])('a list is a page where its records alone, or nobody, speak of an error: %s', (text, count) => {
  expect(read(text)).toMatchObject({ kind: 'page', recordCount: count });
});
