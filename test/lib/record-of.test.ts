import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import * as v from 'valibot';
import { recordOf } from '../../lib/record-of.ts';

const small = v.pipe(v.string(), v.regex(/^\w+$/, 'expected a word'));
const schema = recordOf(small, v.strictObject({ size: v.number('expected a number') }));
const NAMES = ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'a', ''];

test('keeps each member as JSON has it, whatever its name', () => {
  const anything = recordOf(v.string(), v.unknown());
  const names = fc.oneof(fc.constantFrom(...NAMES), fc.string());
  fc.assert(
    fc.property(fc.dictionary(names, fc.jsonValue()), (members) => {
      const text = JSON.stringify(members);
      expect(JSON.stringify(v.parse(anything, JSON.parse(text)))).toBe(text);
    }),
  );
});

test.each([
  ['{"__proto__":{"size":"x"}}', '__proto__.size', 'expected a number', '"x"'],
  ['{"constructor":7}', 'constructor', 'Invalid type: Expected Object but received 7', '7'],
  ['{"a":{"size":1,"toString":1}}', 'a.toString', /never/, '"toString"'],
  ['{"a b":{"size":1}}', 'a b', 'expected a word', '"a b"'],
  ['[]', null, 'Invalid type: Expected Object but received Array', 'Array'],
])('names the place of what is wrong in %s', (text, place, message, received) => {
  const { success, issues: [issue] = [] } = v.safeParse(schema, JSON.parse(text));

  expect(success).toBe(false);
  expect([issue && v.getDotPath(issue), issue?.received]).toEqual([place, received]);
  expect(issue?.message).toMatch(message);
});

test('takes the message of the caller for what has none of its own', () => {
  const message = ({ expected, received }: { expected: string | null; received: string }) =>
    `wanted ${expected}, got ${received}`;
  const messageOf = (value: unknown) => v.safeParse(schema, value, { message }).issues?.[0].message;

  expect(messageOf(1)).toBe('wanted Object, got 1');
  expect(messageOf({ a: 1 })).toBe('wanted Object, got 1');
  expect(messageOf({ a: { size: 'x' } })).toBe('expected a number');
});
