import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  type ExactJson,
  elementsIn,
  exactText,
  membersIn,
  readExactJson,
  readMembers,
  stringIn,
} from '../../../lib/json/exact-json.ts';
import { isKeptByDoubles, isSameNumber } from '../../../lib/json/exact-number.ts';

function read(text: string): ExactJson {
  const found = readExactJson(text);
  if (found.kind === 'unreadable') throw new Error(found.problem);
  return found.json;
}

/** Put together again from all that was taken out of it. */
function rebuilt(json: ExactJson): string {
  if (json.kind === 'array') return `[${elementsIn(json).map(rebuilt).join(',')}]`;
  if (json.kind !== 'object') return exactText(json);
  const members = [...membersIn(json)].map(
    ([name, value]) => `${JSON.stringify(name)}:${rebuilt(value)}`,
  );
  return `{${members.join(',')}}`;
}

test('takes any JSON text apart and loses nothing but white space', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t', ' \r\n'), (value, space) => {
      const text = JSON.stringify(value);
      const json = read(JSON.stringify(value, null, space));
      expect(exactText(json)).toBe(text);
      expect(rebuilt(json)).toBe(text);
    }),
  );
});

test('keeps digits, escapes, duplicate members and their order', () => {
  const text = String.raw`{"2":1.0,"1":-0,"1":1E+400,"__proto__":"\u00e9\/\ud800","":[[],{}]}`;
  const json = read(` \n${text}\t`);
  expect(exactText(json)).toBe(text);
  expect([...membersIn(json)].map(([name, value]) => [name, value.kind, exactText(value)])).toEqual(
    [
      ['2', 'number', '1.0'],
      ['1', 'number', '-0'],
      ['1', 'number', '1E+400'],
      ['__proto__', 'string', String.raw`"\u00e9\/\ud800"`],
      ['', 'array', '[[],{}]'],
    ],
  );
  expect(stringIn([...membersIn(json)][3]?.[1] ?? json)).toBe('é/\ud800');
});

test.each([
  ['{"a":1', 'is not JSON'],
  ['', 'is not JSON'],
  ['\ufeff{}', 'begins with a byte order mark'],
  ['{"a":"\ud800"}', 'holds half of a character outside an escape'],
  ['[1]', 'expected a JSON object'],
  [`{"a":${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 'is nested deeper than 1000 levels'],
])('says why the members of %j cannot be read', (text, problem) => {
  expect(readMembers(text)).toEqual({ kind: 'unreadable', problem });
});

test('names the member that is there twice, however it is written', () => {
  expect(readMembers(String.raw`{"a":1,"b":2,"\u0061":3}`)).toMatchObject({
    kind: 'unreadable',
    member: 'a',
  });
});

test('tells long names apart that differ at their end alone', () => {
  const name = 'n'.repeat(5_000);
  const json = read(`{"${name}a":1,"${name}b":2}`);
  expect([...membersIn(json)].map(([each]) => each)).toEqual([`${name}a`, `${name}b`]);
});

const anyNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), fc.bigInt({ min: 1n, max: 10n ** 30n }).map(String)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^\.\d{1,30}$/)),
    fc.oneof(fc.constant(''), fc.stringMatching(/^[eE][+-]?\d{1,3}$/)),
  )
  .map((parts) => parts.join(''));

test('numbers are the same when they are so without their exponent', () => {
  const scaled = (text: string): bigint => {
    const [, sign, whole = '', fraction = '', power = '0'] =
      /^(-?)(\d+)(?:\.(\d*))?(?:e(.*))?$/i.exec(text) ?? [];
    const value = BigInt(whole + fraction) * 10n ** BigInt(1_100 + Number(power) - fraction.length);
    return sign === '-' ? -value : value;
  };
  fc.assert(
    fc.property(anyNumber, anyNumber, fc.integer({ min: 0, max: 5 }), (one, other, zeros) => {
      expect(isSameNumber(one, other)).toBe(scaled(one) === scaled(other));
      const mantissa = one.replace(/e.*/i, '');
      const longer = `${mantissa}${mantissa.includes('.') ? '' : '.0'}${'0'.repeat(zeros)}`;
      expect(isSameNumber(mantissa, longer)).toBe(true);
    }),
  );
  for (const text of ['', '01', '1.', '.5', '+1', '0x1', 'NaN', '1 ']) {
    expect([text, isSameNumber(text, text)]).toEqual([text, false]);
  }
});

test('a number that doubles keep is the same one after it was one', () => {
  fc.assert(
    fc.property(anyNumber, (text) => {
      if (isKeptByDoubles(text)) expect(isSameNumber(String(Number(text)), text)).toBe(true);
    }),
  );
  for (const text of [
    '0',
    '-0',
    '1.0',
    '9007199254740991',
    '123456789012345e200',
    '0.1',
    '12.50',
  ]) {
    expect([text, isKeptByDoubles(text)]).toEqual([text, true]);
  }
  const lost = ['9007199254740992', '9007199254740993', '0.12345678901234567', '1e400', '1e-400'];
  for (const text of lost) expect([text, isKeptByDoubles(text)]).toEqual([text, false]);
});
