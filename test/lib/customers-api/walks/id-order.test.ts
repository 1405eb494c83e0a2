import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type IdOrder,
  idOrderIn,
  idOrderOf,
} from '../../../../lib/customers-api/walks/id-order.ts';

const CASES: readonly (readonly [string, readonly string[], IdOrder])[] = [
  ['numbers by value', ['9', '10', '11'], 'rising'],
  ['texts of digits by value', ['"9"', '"10"'], 'rising'],
  ['numbers beyond 2^53 by all their digits', ['9007199254740993', '9007199254740992'], 'falling'],
  ['digits with zeros in front by value', ['"0009"', '"010"'], 'rising'],
  ['zero alone', ['"00"', '"1"'], 'rising'],
  ['the same value in two spellings as no order', ['"01"', '"1"'], 'none'],
  ['other texts by their characters', ['"a10"', '"a9"'], 'rising'],
  ['a text before one that begins with it', ['"ab"', '"abc"'], 'rising'],
  ['digits and other texts in one list as no order', ['"1"', '"b"'], 'none'],
  ['signs and fractions as texts', ['-1', '-2'], 'rising'],
  ['one id as not known', ['1'], 'one'],
  ['equal ids as no order', ['1', '1'], 'none'],
  ['a row without an id before texts', ['', '"a"'], 'rising'],
];

test.each(CASES)('ids are ordered: %s', (_case, ids, order) => {
  expect(idOrderOf(ids)).toBe(order);
  expect(orderOfPage(ids)).toBe(order);
});

test('the ids of a page have the same order as the list of their texts, whatever they are', () => {
  const digits = fc.nat({ max: 120 }).map(String);
  const id = fc.oneof(
    digits,
    digits.map((text) => `"0${text}"`),
    fc.string({ maxLength: 3 }).map((text) => JSON.stringify(`x${text}`)),
    fc.constant(''),
  );
  const sorted = fc.array(fc.nat({ max: 999 })).map((all) => all.sort((a, b) => a - b).map(String));
  fc.assert(
    fc.property(fc.oneof(fc.array(id, { maxLength: 6 }), sorted), (ids) => {
      expect(orderOfPage(ids)).toBe(idOrderOf(ids));
    }),
  );
});

function orderOfPage(ids: readonly string[]): IdOrder {
  const lines = ids.map((id) => (id === '' ? '{"name":"a"}\n' : `{"name":"a","id":${id}}\n`));
  return idOrderIn({ ndjson: Buffer.from(lines.join('')), recordCount: ids.length, idKey: 'id' });
}
