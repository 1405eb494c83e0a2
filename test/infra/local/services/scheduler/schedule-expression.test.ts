import { expect, test } from '@jest/globals';
import {
  nextTimeMs,
  parseScheduleExpression,
} from '../../../../../infra/local/services/scheduler/schedule-expression.ts';

const next = (expression: string, after: string, zone = 'UTC', start = after) => {
  const parsed = parseScheduleExpression(expression, zone, 'Sweep');
  const ms = nextTimeMs(parsed, Date.parse(after), Date.parse(start));
  return ms === undefined ? undefined : new Date(ms).toISOString().replace('.000Z', 'Z');
};

test.each([
  ['cron(15 10 * * ? *)', '2026-03-05T10:14:59Z', '2026-03-05T10:15:00Z'],
  ['cron(15 10 * * ? *)', '2026-03-05T10:15:00Z', '2026-03-06T10:15:00Z'],
  ['cron(0/5 8-17 ? * MON-FRI *)', '2026-03-06T17:55:00Z', '2026-03-09T08:00:00Z'],
  ['cron(7/20 * * * ? *)', '2026-03-05T10:27:00Z', '2026-03-05T10:47:00Z'],
  ['cron(0 9 ? * 1 *)', '2026-03-05T00:00:00Z', '2026-03-08T09:00:00Z'],
  ['cron(0 9 ? * L *)', '2026-03-05T00:00:00Z', '2026-03-07T09:00:00Z'],
  ['cron(0 9 ? * 2#1 *)', '2026-03-05T00:00:00Z', '2026-04-06T09:00:00Z'],
  ['cron(0 9 ? * 6L *)', '2026-03-05T00:00:00Z', '2026-03-27T09:00:00Z'],
  ['cron(0 9 L * ? *)', '2026-02-05T00:00:00Z', '2026-02-28T09:00:00Z'],
  ['cron(0 9 15W * ? *)', '2026-03-05T00:00:00Z', '2026-03-16T09:00:00Z'],
  ['cron(0 9 1,15 JAN,JUL ? *)', '2026-03-05T00:00:00Z', '2026-07-01T09:00:00Z'],
  ['cron(0 0 1 1 ? 2030)', '2026-03-05T00:00:00Z', '2030-01-01T00:00:00Z'],
  ['cron(0 0 1 1 ? 2020)', '2026-03-05T00:00:00Z', undefined],
])('%s after %s is %s', (expression, after, expected) => {
  expect(next(expression, after)).toBe(expected);
});

test('reads local times in the time zone of the schedule', () => {
  expect(next('cron(0 9 * * ? *)', '2026-07-01T00:00:00Z', 'Europe/Berlin')).toBe(
    '2026-07-01T07:00:00Z',
  );
});

test('a rate fires at its start and then every period, whatever the delay of a run', () => {
  const start = '2026-03-05T10:00:00Z';
  expect(next('rate(15 minutes)', '2026-03-05T09:00:00Z', 'UTC', start)).toBe(start);
  expect(next('rate(15 minutes)', start, 'UTC', start)).toBe('2026-03-05T10:15:00Z');
  expect(next('rate(1 hour)', '2026-03-05T12:34:00Z', 'UTC', start)).toBe('2026-03-05T13:00:00Z');
});

test.each([
  'rate(1 minutes)',
  'rate(5 minute)',
  'rate(0 minutes)',
  'rate(5 weeks)',
  'cron(0 9 * * *)',
  'cron(0 9 * * * *)',
  'cron(0 9 ? * ? *)',
  'cron(61 9 * * ? *)',
  'at(2026-03-05T12:00:00)',
  'every day',
])('refuses %s and names the schedule', (expression) => {
  expect(() => parseScheduleExpression(expression, 'UTC', 'Sweep')).toThrow(
    /^Sweep: .*is no schedule/,
  );
});

test('refuses a time zone that does not exist', () => {
  expect(() => next('cron(0 9 * * ? *)', '2026-07-01T00:00:00Z', 'Mars/Base')).toThrow(
    /Mars\/Base/,
  );
});
