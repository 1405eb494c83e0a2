import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import { parseOptions, parseSetting } from '../../../lib/customers-api/parse-options.ts';
import { recordOf } from '../../../lib/record-of.ts';

class Settings {
  readonly name = 'a';
}

const inner = v.strictObject({ name: v.optional(v.string()) });
const schema = v.strictObject({
  inner: v.optional(inner),
  list: v.optional(v.array(inner)),
  named: v.optional(recordOf(v.string(), inner)),
  free: v.optional(v.looseObject({})),
});

const INSTANCES = [[], ['a'], new Map([['name', 'a']]), new Set(), new Date(0), new Settings()];

test.each([...INSTANCES, Promise.resolve({})])(
  '%p is not read as an object without members, wherever it stands',
  (given) => {
    const problemOf = (options: unknown): unknown => {
      try {
        return parseOptions(schema, options, 'options');
      } catch (error) {
        const { setting, problem } = Object(error);
        return [setting, problem];
      }
    };
    const problem = expect.stringMatching(/^expected an object(?!.*got an object)/);

    expect(problemOf(given)).toEqual(['options', problem]);
    expect(problemOf({ inner: given })).toEqual(['inner', problem]);
    expect(problemOf({ list: [{}, given] })).toEqual(['list[1]', problem]);
    expect(problemOf({ named: { a: given } })).toEqual(['named.a', problem]);
    expect(problemOf({ named: given })).toEqual(['named', problem]);
    expect(problemOf({ free: given })).toEqual(['free', problem]);
  },
);

test('an object without a prototype, a frozen one and one of another realm are objects', () => {
  const bare = Object.assign(Object.create(null), { name: 'a' });
  const { runInNewContext } = process.getBuiltinModule('node:vm');
  const foreign: unknown = runInNewContext('({ name: "a" })');

  for (const given of [bare, Object.freeze({ name: 'a' }), foreign]) {
    expect(parseOptions(schema, { inner: given }, 'options')).toEqual({ inner: { name: 'a' } });
  }
});

test('where a schema asks for a Map, a Map is right', () => {
  const given = new Map([['a', 'b']]);

  expect(parseSetting(v.map(v.string(), v.string()), given, 'records')).toEqual(given);
});

test('a member that throws when it is read is a wrong setting', () => {
  const thrown = () => {
    throw new RangeError('canary');
  };
  const given = Object.defineProperty({}, 'inner', { get: thrown, enumerable: true });

  expect(() => parseSetting(schema, given, 'connections')).toThrow(
    'connections: reading it threw RangeError',
  );
});

test.each([
  [undefined, 'nothing'],
  [null, 'null'],
  [true, 'true'],
  ['canary', 'text'],
  [4711, 'a number'],
  [Number.NaN, 'NaN'],
  [['canary'], 'a list'],
  [{ canary: 'canary' }, 'an object'],
  [new URL('https://canary.example'), 'an instance of a class'],
  [new Map([['canary', 'canary']]), 'an instance of a class'],
  [() => 'canary', 'a function'],
  [4711n, 'another value'],
])('of another kind of value the error tells the kind, and never the value: %p', (given, got) => {
  const custom = v.custom((value) => value === 'the right one', 'expected the right one');

  expect(() => parseSetting(custom, given, 'here')).toThrow(
    `here: expected the right one, got ${got}`,
  );
});
