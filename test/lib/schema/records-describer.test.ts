import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import {
  MAX_RECORD_BYTES,
  NoRecordError,
  RecordsDescriber,
  type RecordsReport,
  RecordsReportSchema,
} from '../../../lib/schema/records-describer.ts';
import { SHAPE_LIMITS } from '../../../lib/schema/shape.ts';
import { anyRecord, describe } from './any-record.ts';

test('says of each member how many have it, with which types, and how long', () => {
  const report = describe(
    '{"id":9007199254740993,"name":"Zoë","tags":["a","bcd"],"address":{"city":"Ulm"}}',
    '{"id":7,"name":null,"tags":[],"address":{"city":"Bonn","zip":12.50}}',
  );

  expect(report).toEqual({
    records: 2,
    record: {
      types: { object: 2 },
      members: [
        {
          name: 'id',
          present: 2,
          always: true,
          types: { integer: 1, longInteger: 1 },
          mostDigits: 16,
        },
        { name: 'name', present: 2, always: true, types: { null: 1, text: 1 }, longestText: 3 },
        {
          name: 'tags',
          present: 2,
          always: true,
          types: { array: 2 },
          mostElements: 2,
          elements: { types: { text: 2 }, longestText: 3 },
        },
        {
          name: 'address',
          present: 2,
          always: true,
          types: { object: 2 },
          members: [
            { name: 'city', present: 2, always: true, types: { text: 2 }, longestText: 4 },
            { name: 'zip', present: 1, always: false, types: { decimal: 1 }, mostDigits: 4 },
          ],
        },
      ],
    },
  });
});

test.each([
  ['0', 'integer', 1],
  ['-9007199254740991', 'integer', 16],
  ['9007199254740992', 'longInteger', 16],
  ['-123456789012345678901234567890', 'longInteger', 30],
  ['1.0', 'decimal', 2],
  ['1e3', 'decimal', 1],
  ['-1.25E-7', 'decimal', 3],
  ['0.1234567890123456789', 'longDecimal', 20],
  ['12345678901234567890.123', 'longDecimal', 23],
  ['1e400', 'longDecimal', 1],
])('calls %s %s of %i digits', (number, type, mostDigits) => {
  expect(describe(number).record).toEqual({ types: { [type]: 1 }, mostDigits });
});

test.each([
  ['"abc"', 3],
  ['"Zoë"', 3],
  ['"👩‍👩‍👧"', 5],
  ['"\\ud83d\\ude80\\n\\u00e9\\""', 4],
  ['"\\ud83d \\ude80"', 3],
  ['"\\ud83d\\ud83d\\ude80"', 2],
])('counts the characters of %s', (text, longestText) => {
  expect(describe(text).record).toEqual({ types: { text: 1 }, longestText });
});

test.each([
  ['2026-11-22', { dates: 1 }],
  ['2026-11-22T10:00:00Z', { dateTimes: 1 }],
  ['2026-11-22 10:00', { dateTimes: 1 }],
  ['2026-11-22T10:00:00.123456789+01:00', { dateTimes: 1 }],
  ['2026-99-22', {}],
  ['1234-5678-90', {}],
  ['2026-11-22T10:00:00Z and more', {}],
])('sees whether %s looks like a date', (text, hint) => {
  const { types, longestText, ...rest } = describe(JSON.stringify(text)).record;
  expect(rest).toEqual(hint);
});

test('counts a member that an object has twice as one, and says so', () => {
  const { record } = describe('{"a":1,"\\u0061":"x"}', '{}');

  expect(record.members).toEqual([
    {
      name: 'a',
      present: 1,
      always: false,
      repeated: 1,
      types: { integer: 1, text: 1 },
      mostDigits: 1,
      longestText: 1,
    },
  ]);
});

test('knows all the values that JSON.parse finds, under their names', () => {
  fc.assert(
    fc.property(fc.array(anyRecord, { maxLength: 5 }), (records) => {
      const names = new Set(describe(...records).record.members?.map(({ name }) => name));
      const expected = new Set(records.flatMap((text) => Object.keys(JSON.parse(text))));
      expect(names).toEqual(expected);
    }),
  );
});

test('gives the same report in whatever pieces and steps the records come', () => {
  fc.assert(
    fc.property(
      fc.array(anyRecord, { maxLength: 8 }),
      fc.nat(8),
      fc.integer({ min: 1, max: 40 }),
      (records, stop, size) => {
        const bytes = (some: readonly string[]) =>
          Buffer.from(some.map((text) => `${text}\n`).join(''));
        const first = inPieces(bytes(records.slice(0, stop)), size);
        const stored = v.parse(RecordsReportSchema, JSON.parse(JSON.stringify(first)));
        const whole = inPieces(bytes(records), 1_000_000);
        const inSteps = inPieces(bytes(records.slice(stop)), size, stored);
        expect(JSON.stringify(inSteps)).toBe(JSON.stringify(whole));
      },
    ),
  );
});

test('names only so many members of an object, and so many in all, and counts the others', () => {
  const wide = (prefix: string) =>
    `{${Array.from({ length: 2_000 }, (_, index) => `"${prefix}${index}":{"x":${index}}`).join(',')}}`;
  const record = `{${Array.from({ length: 20 }, (_, index) => `"m${index}":${wide(`k${index}.`)}`).join(',')}}`;
  const text = JSON.stringify(describe(record, record));

  const [first] = describe(record, record).record.members ?? [];
  expect(first).toMatchObject({ name: 'm0', unnamed: 2 * 1_500 });
  expect(first?.members?.length).toBe(SHAPE_LIMITS.namesPerObject);
  expect(text.split('"types"').length - 1).toBe(SHAPE_LIMITS.shapes);
});

test('holds little memory whatever names a million members have', () => {
  const describer = new RecordsDescriber();
  const before = process.memoryUsage().heapUsed;
  for (let record = 0; record < 1_000; record++) {
    const members = Array.from({ length: 1_000 }, (_, index) => `"${record}-${index}":1`);
    describer.push(Buffer.from(`{${members.join(',')}}\n`));
  }
  const { record } = describer.report();

  expect(record.unnamed).toBe(999_500);
  expect(JSON.stringify(record).length).toBeLessThan(100_000);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
});

test('counts what is too deep, too long or too large to look into', () => {
  const nested = `${'['.repeat(900)}${']'.repeat(900)}`;
  const name = 'n'.repeat(SHAPE_LIMITS.nameBytes + 1);
  const large = `"${'x'.repeat(MAX_RECORD_BYTES)}"`;
  const report = describe(`{"deep":${nested},"${name}":1}`, large, '{}');
  const text = JSON.stringify(report);

  expect(report).toMatchObject({ records: 3, tooLong: 1, record: { unnamed: 1 } });
  expect(text.split('"unopened":1').length - 1).toBe(1);
  expect(text.length).toBeLessThan(3_000);
});

test.each(['', '{"a":1', '{"a":1}}', '{"a" :1}', 'nul', '{"a":"\u0001"}', '{"a":1}{"a":1}'])(
  'fails at a line that is no record: %j',
  (line) => {
    expect(() => describe('{}', line)).toThrow(new NoRecordError(2));
  },
);

test('fails at a record without an end', () => {
  const describer = new RecordsDescriber();
  describer.push(Buffer.from('{}\n{}'));
  expect(() => describer.report()).toThrow(new NoRecordError(2));
});

function inPieces(bytes: Uint8Array, size: number, soFar?: RecordsReport): RecordsReport {
  const describer = new RecordsDescriber(soFar);
  for (let at = 0; at < bytes.length; at += size) describer.push(bytes.subarray(at, at + size));
  return describer.report();
}

test('what was passed over in a step before still counts, as do the longest lists', () => {
  const first = new RecordsDescriber();
  first.push(Buffer.from('{"tags":[1,2,3]}\n{"tags":[1]}\n'));
  const { record, records } = first.report();
  const before = { records, tooLong: 2, record: { ...record, unopened: 4 } };
  const next = new RecordsDescriber(before);
  next.push(Buffer.from('{"tags":[]}\n'));

  const after = next.report();
  expect(after).toMatchObject({ records: 3, tooLong: 2, record: { unopened: 4 } });
  expect(after.record.members).toMatchObject([{ name: 'tags', mostElements: 3 }]);
});
