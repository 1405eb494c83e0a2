import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { membersOf, objectJson, prettyJson } from '../../../infra/simulator/json-text.ts';
import { compactJson } from './compact-json.ts';

test('pretty and compact change nothing but white space', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const compact = compactJson(json);
      expect(compactJson(prettyJson(json))).toBe(compact);
      expect(JSON.parse(compact)).toEqual(JSON.parse(json));
    }),
  );
});

test('pretty JSON is what JSON.stringify writes with two spaces', () => {
  const value = { a: [1, { b: [] }, {}], c: 'x, {y}: "z"\\' };

  expect(prettyJson(JSON.stringify(value))).toBe(JSON.stringify(value, null, 2));
});

test('members keep the text of their values', () => {
  const json =
    '{ "id": 9007199254740993, "a": {"b": [1.10, 2]}, "\\u0063": "x,\\u00e9", "__proto__": -0.0 }';

  const members = membersOf(json);

  expect([...members]).toEqual([
    ['id', '9007199254740993'],
    ['a', '{"b":[1.10,2]}'],
    ['c', '"x,\\u00e9"'],
    ['__proto__', '-0.0'],
  ]);
  expect(objectJson(members)).toContain('"id":9007199254740993,"a":{"b":[1.10,2]}');
});

test('every object is the object of its members', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      const json = JSON.stringify(value);
      expect(objectJson(membersOf(json))).toBe(json);
    }),
  );
});
