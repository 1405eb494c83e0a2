import { expect, jest, test } from '@jest/globals';
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

test('gives what JSON.parse gives, where numbers keep their digits, whatever is in strings', () => {
  const tricky = fc.string({
    unit: fc.constantFrom('"', '\\', ',', ':', '[', '9'.repeat(16), '1e999'),
  });
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      tricky,
      fc.double({ noNaN: true }),
      tie('list'),
      tie('map'),
    ),
    list: fc.array(tie('any'), { maxLength: 4 }),
    map: fc.dictionary(tricky, tie('any'), { maxKeys: 4 }),
  })).any;
  const isLost = (each: unknown) => Number.isInteger(each) && !Number.isSafeInteger(each);
  fc.assert(
    fc.property(value, fc.constantFrom(0, 1), (given, space) => {
      const kept: unknown = JSON.parse(
        JSON.stringify(given, (_, each) => (isLost(each) ? 0 : each)),
      );
      expect(parseExactly(JSON.stringify(kept, null, space))).toEqual(kept);
      expect(parseExactly(`[1e999,${JSON.stringify(kept, null, space)}]`)).toEqual(['1e999', kept]);
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

test.each([
  ['"a,9007199254740993"', 'a,9007199254740993'],
  ['"\\\\",9007199254740993', '\\', '9007199254740993'],
  ['"\\",9007199254740993,"', '",9007199254740993,'],
  ['"x\\\\\\": 1e999"', 'x\\": 1e999'],
])('leaves strings alone that look like a long number: [%s]', (inner, ...values) => {
  expect(parseExactly(`[${inner},1e999,"${inner.length}"]`)).toEqual([
    ...values,
    '1e999',
    String(inner.length),
  ]);
});

test.each([
  '12345678901234567-3',
  '01234567890123456789',
  '1.2345678901234567.8',
  '12345678901234567e',
  '12345678901234567e1e1',
  '-e12345678901234567',
  '12345678901234567.',
  '12345678901234567e1.5',
])('refuses what only begins as a long number: %s', (text) => {
  expect(() => parseExactly(`{"a":${text}}`)).toThrow(SyntaxError);
});

test.each([
  ['a number', '', ''],
  ['a fraction', '0.', ''],
  ['a number with an exponent', '', 'e-12000000'],
])('keeps %s with millions of digits', (_, before, behind) => {
  const number = `${before}${'1'.repeat(12_000_000)}${behind}`;
  const value = Object(parseExactly(`{"a":${number}}`)).a;
  // Not compared by `toBe`: what it would print takes minutes.
  expect(value === number).toBe(true);
});

test('leaves a string alone that looks like a number with millions of digits', () => {
  const digits = `,${'1'.repeat(12_000_000)}`;
  expect(parseExactly(`["${digits}"]`)).toHaveProperty('0.length', digits.length);
});

test('looks through a text once, however many long numbers it has', () => {
  const search = jest.spyOn(String.prototype, 'indexOf');
  try {
    const numbers = parseExactly(`["a",${'1e999,'.repeat(1_000)}"b"]`);

    expect(Object(numbers)).toHaveLength(1_002);
    // From one quote to the next.
    expect(search.mock.calls.filter(([sought]) => sought === '"').length).toBeLessThan(10);
  } finally {
    search.mockRestore();
  }
});
