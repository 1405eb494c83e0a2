import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSameNumber } from '../../../lib/json/exact-number.ts';
import { parseExactly } from '../../../lib/json/parse-exactly.ts';

test.each([
  ['9007199254740993', '9007199254740993'],
  ['9007199254740994', '9007199254740994'],
  ['-12345678901234567890', '-12345678901234567890'],
  ['9007199254740991', 9007199254740991],
  ['0.1', 0.1],
  ['0.30000000000000004', 0.30000000000000004],
  ['0.3000000000000000400001', '0.3000000000000000400001'],
  ['12.50', 12.5],
  ['1e3', 1000],
  ['1e21', 1e21],
  ['9007199254740993.0', '9007199254740993.0'],
  ['1e400', '1e400'],
  ['1e-400', '1e-400'],
  ['-0', -0],
  ['0e5', 0],
])('gives %s as %p, in any place', (text, value) => {
  expect(parseExactly(text)).toEqual(value);
  expect(parseExactly(`{"a":[1,${text}],"b": ${text}}`)).toEqual({ a: [1, value], b: value });
});

test('gives what JSON.parse gives, where numbers keep their digits', () => {
  const ofSafeNumbers = fc
    .jsonValue({ noUnicodeString: false })
    .map((value) => JSON.stringify(value));
  fc.assert(
    fc.property(ofSafeNumbers, (text) => {
      const value = JSON.parse(text, (_, each) =>
        Number.isInteger(each) && !Number.isSafeInteger(each) ? 0 : each,
      );
      expect(parseExactly(JSON.stringify(value))).toEqual(value);
    }),
  );
});

test('loses the digits of no number, however it is written', () => {
  const digits = (max: number) =>
    fc.string({ unit: fc.constantFrom(...'0123456789'), minLength: 1, maxLength: max });
  const number = fc
    .tuple(
      fc.constantFrom('', '-'),
      digits(25).map((whole) => whole.replace(/^0+(?=\d)/, '')),
      fc.option(digits(25), { nil: undefined }),
      fc.option(fc.integer({ min: -330, max: 330 }), { nil: undefined }),
    )
    .map(
      ([sign, whole, fraction, power]) =>
        `${sign}${whole}${fraction === undefined ? '' : `.${fraction}`}${power === undefined ? '' : `e${power}`}`,
    );
  fc.assert(
    fc.property(number, fc.constantFrom('', ' ', '\n'), (text, space) => {
      const [value] = Object.values(Object(parseExactly(`{"a":${space}${text}}`)));
      expect(isSameNumber(String(value), text)).toBe(true);
      expect([typeof value, value]).toEqual(
        typeof value === 'string' ? ['string', text] : ['number', Number(text)],
      );
    }),
  );
});
