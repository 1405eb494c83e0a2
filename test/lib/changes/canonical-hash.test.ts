import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalHash } from '../../../lib/changes/canonical-hash.ts';
import { canonicalJson } from '../../../lib/writes/canonical-json.ts';
import { anyRecord } from '../schema/any-record.ts';

const hashOf = (text: string) => canonicalHash(Buffer.from(text));

test.each([
  ['{"a":1,"b":[{"x":null,"y":"z"}]}', '{"b":[{"y":"z","x":null}],"a":1}'],
  ['{"a":"\\u00e9\\/\\u0022"}', '{"a":"é/\\""}'],
  ['"\\ud83d\\ude80\\u0041"', '"🚀A"'],
  ['{"\\u0061":1}', '{"a":1}'],
  ['"\\u000a\\u001F"', '"\\n\\u001f"'],
  ['"\\uD800"', '"\\ud800"'],
  ['"\\ud800\\ud83d\\ude80"', '"\\uD800🚀"'],
])('is the same for %s and %s', (one, other) => {
  expect(hashOf(one)).toBe(hashOf(other));
});

const DIFFERENT = [
  ...[
    '1',
    '1.0',
    '10e-1',
    '-1',
    '"1"',
    '["1"]',
    '[1]',
    '{"1":1}',
    'true',
    '"true"',
    'null',
    '""',
    '[]',
    '{}',
  ],
  ...[
    '[[]]',
    '[1,2]',
    '[2,1]',
    '["1,2"]',
    '{"a":1,"b":2}',
    '{"a":2,"b":1}',
    '{"a":1,"a":2}',
    '{"a":2,"a":1}',
  ],
  ...[
    '12345678901234567890',
    '12345678901234567891',
    '"\\ud800"',
    '"\\ud801"',
    '"\\\\ud800"',
    '"\\n"',
    '"n"',
  ],
  ...['{"a":{"b":1}}', '{"a":{},"b":1}', '{"a":[{"b":1}]}', '"\\""', '"\\\\"', '"\\\\n"'],
];

test('is another one wherever values differ', () => {
  expect(new Set(DIFFERENT.map(hashOf)).size).toBe(DIFFERENT.length);
});

test('is the same as that of the canonical text, of records of any kind', () => {
  fc.assert(
    fc.property(anyRecord, (record) => {
      expect(hashOf(record)).toBe(hashOf(canonicalJson(record)));
    }),
  );
});

test('differs for records whose canonical text differs', () => {
  fc.assert(
    fc.property(anyRecord, anyRecord, (one, other) => {
      const isSame = canonicalJson(one) === canonicalJson(other);
      expect(hashOf(one) === hashOf(other)).toBe(isSame);
    }),
  );
});

test('takes a thousand levels, and an object of very many members', () => {
  const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  const members = Array.from({ length: 50_000 }, (_, n) => `"m${n}":${n}`);

  expect(hashOf(deep(1_000))).not.toBe(hashOf(deep(999)));
  expect(hashOf(`{${members.join(',')}}`)).toBe(hashOf(`{${members.toReversed().join(',')}}`));
});

test.each(['', '[1', '{"a"', '"a', '[}', '{"a":]'])('ends at %j, which is not JSON', (text) => {
  expect(() => hashOf(text)).toThrow(RangeError);
});
