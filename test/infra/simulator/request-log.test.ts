import { expect, test } from '@jest/globals';
import { type HeaderLine, httpDate } from '../../../infra/simulator/answer.ts';
import { askedWaitSeconds } from '../../../infra/simulator/request-log.ts';
import { parseTime } from '../../../lib/customers-api/parse-time.ts';

const DATE: HeaderLine = ['Date', 'Sun, 06 Nov 1994 08:49:37 GMT'];

test.each<[string, readonly string[], number | undefined]>([
  ['seconds', ['7'], 7],
  ['a fraction, rounded up', ['1.2'], 2],
  ['the largest of several', ['3', '1, 9'], 9],
  ['an IMF date', ['Sun, 06 Nov 1994 08:49:44 GMT'], 7],
  ['an RFC 850 date', ['Sunday, 06-Nov-94 08:49:44 GMT'], 7],
  ['an asctime date', ['Sun Nov  6 08:49:44 1994'], 7],
  ['nothing from the past', ['Sun, 06 Nov 1994 08:49:30 GMT'], undefined],
  ['nothing from garbage', ['soon', '-5', '1e309', ''], undefined],
])('reads %s', (_, values, expected) => {
  const headers = values.map((value): HeaderLine => ['retry-after', value]);

  expect(askedWaitSeconds([DATE, ...headers])).toBe(expected);
});

test.each(['date', 'rfc850', 'asctime'] as const)('reads the %s form that it writes', (form) => {
  const ms = Date.UTC(2026, 10, 1, 3, 4, 5);

  expect(parseTime(httpDate(ms, form), ms)).toBe(ms);
});

test('writes the examples of RFC 9110 section 5.6.7', () => {
  const ms = Date.UTC(1994, 10, 6, 8, 49, 37);

  expect(httpDate(ms)).toBe('Sun, 06 Nov 1994 08:49:37 GMT');
  expect(httpDate(ms, 'rfc850')).toBe('Sunday, 06-Nov-94 08:49:37 GMT');
  expect(httpDate(ms, 'asctime')).toBe('Sun Nov  6 08:49:37 1994');
});
