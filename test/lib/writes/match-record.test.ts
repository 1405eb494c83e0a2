import { expect, test } from '@jest/globals';
import { matchRecord } from '../../../lib/writes/match-record.ts';

const values = {
  writeId: 'w-1',
  params: { id: '9007199254740993' },
  body: { email: 'a@b.c', age: 12.5, address: { city: 'Ghent' }, ok: true },
};

test.each([
  [{ email: 'a@b.c' }, { email: '{body.email}' }, 'matches'],
  [{ email: 'A@b.c' }, { email: '{body.email}' }, 'differs'],
  [{ age: 12.5 }, { age: '{body.age}' }, 'matches'],
  [{ age: '12.50' }, { age: '{body.age}' }, 'differs'],
  [{ ok: true }, { ok: '{body.ok}' }, 'matches'],
  [{ place: { city: 'Ghent' } }, { 'place.city': '{body.address.city}' }, 'matches'],
  [{ ref: 'x-w-1' }, { ref: 'x-{writeId}' }, 'matches'],
  [{ n: 1000 }, { n: '1e3' }, 'matches'],
  [{ id: '9007199254740993' }, { id: '{params.id}' }, 'matches'],
  // JSON.parse has rounded it, so it may be another one.
  [JSON.parse('{"id":9007199254740993}'), { id: '{params.id}' }, 'cannot-tell'],
  [{}, { email: '{body.email}' }, 'cannot-tell'],
  [{ email: { a: 1 } }, { email: '{body.email}' }, 'cannot-tell'],
  [{ email: 'a@b.c' }, { email: '{body.missing}' }, 'cannot-tell'],
  [{ email: 'a@b.c' }, { email: '{body.email}', other: 'x' }, 'cannot-tell'],
  [{ email: 'other' }, { email: '{body.email}', other: 'x' }, 'differs'],
  ['text', { email: '{body.email}' }, 'cannot-tell'],
  [{ toString: 'x' }, { constructor: 'x' }, 'cannot-tell'],
])('compares %j with %j: %s', (record, match, expected) => {
  expect(matchRecord(record, Object.fromEntries(Object.entries(match)), values)).toBe(expected);
});
