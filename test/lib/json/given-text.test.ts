import { expect, test } from '@jest/globals';
import { givenText } from '../../../lib/json/given-text.ts';

class Customer {
  readonly name = 'a';
}

test.each([
  [{ a: [1, 'b', true, null], c: undefined }, '{"a":[1,"b",true,null]}'],
  [[Number.MAX_SAFE_INTEGER, 0.1, -2.5e-7], '[9007199254740991,0.1,-2.5e-7]'],
  [new Date(0), '"1970-01-01T00:00:00.000Z"'],
  [Buffer.from('a'), '{"type":"Buffer","data":[97]}'],
  [new Customer(), '{"name":"a"}'],
])('%p is what JSON says of it', (value, text) => {
  expect(givenText(value, 'body')).toBe(text);
});

test.each([
  ...[JSON.parse('9007199254740993'), -(2 ** 53), 1e21],
  ...[Number.NaN, Number.POSITIVE_INFINITY, 7n, Symbol('a'), () => 1],
  ...[new Map(), new Set(), Promise.resolve(1), /a/, new Error('a'), new Uint8Array(1)],
])('nothing of %p is lost without a word, wherever it stands', (value) => {
  const problem = 'body: expected a value that can be written as JSON';

  expect(() => givenText(value, 'body')).toThrow(problem);
  expect(() => givenText({ a: [value] }, 'body')).toThrow(problem);
});
