import { expect, test } from '@jest/globals';
import { customersSettingsOf } from '../../../infra/settings/customers-settings.ts';

function settingsWith(schedule: unknown) {
  const context = { baseUrl: 'https://api.example.com', connections: { demo: { schedule } } };
  return customersSettingsOf(context).schedules['demo'];
}

function messageFor(schedule: unknown): string {
  try {
    settingsWith(schedule);
  } catch (error) {
    return String(Reflect.get(Object(error), 'message'));
  }
  return 'taken';
}

// Every example of the EventBridge Scheduler user guide ("Schedule types") is among these.
test.each([
  'rate(1 minute)',
  'rate(5 minutes)',
  'rate(1 hour)',
  'rate(12 hours)',
  'rate(1 day)',
  'rate(30 days)',
  'cron(0 10 * * ? *)',
  'cron(15 12 * * ? *)',
  'cron(0 18 ? * MON-FRI *)',
  'cron(0 8 1 * ? *)',
  'cron(0/15 * * * ? *)',
  'cron(0/10 * ? * MON-FRI *)',
  'cron(0/5 8-17 ? * MON-FRI *)',
  'cron(15 10 ? * 6L 2022-2023)',
  'cron(0 9 ? * 2#1 *)',
  'cron(0 9 ? * tue#3 *)',
  'cron(30 6 L * ? *)',
  'cron(30 6 3W JAN,apr,JUL-SEP ? 2026)',
  'cron(*/20 0-23/2 1,15 1/3 ? 2026/2)',
])('takes %s', (expression) => {
  expect(settingsWith(expression)).toBe(expression);
});

test.each([
  ['daily', 'expected rate(…) or cron(…)'],
  ['at(2026-01-01T00:00:00)', 'expected rate(…) or cron(…)'],
  ['rate()', 'expected rate(…) or cron(…)'],
  ['rate(0 minutes)', 'with an s unless the number is 1'],
  ['rate(1 minutes)', 'with an s unless the number is 1'],
  ['rate(5 minute)', 'with an s unless the number is 1'],
  ['rate(1.5 hours)', 'expected a whole number'],
  ['rate(2 weeks)', 'minute, hour or day'],
  ['cron(0 3 * * *)', 'expected six fields'],
  ['cron(0 0 3 * * ? *)', 'expected six fields'],
  ['cron(0 3 * * * *)', 'expected ? in one of'],
  ['cron(0 3 ? * ? *)', 'expected ? in one of'],
  ['cron(0 3 1 * MON *)', 'expected ? in one of'],
  ['cron(60 3 * * ? *)', 'the minutes cannot be "60"'],
  ['cron(0/0 3 * * ? *)', 'the minutes cannot be "0/0"'],
  ['cron(0 24 * * ? *)', 'the hours cannot be "24"'],
  ['cron(0 22-2 * * ? *)', 'the hours cannot be "22-2"'],
  ['cron(0 3 32 * ? *)', 'the day of month cannot be "32"'],
  ['cron(0 3 1,L * ? *)', 'the day of month cannot be "1,L"'],
  ['cron(0 3 * 13 ? *)', 'the month cannot be "13"'],
  ['cron(0 3 * JANUARY ? *)', 'the month cannot be "JANUARY"'],
  ['cron(0 3 ? * 0 *)', 'the day of week cannot be "0"'],
  ['cron(0 3 ? * MON#6 *)', 'the day of week cannot be "MON#6"'],
  ['cron(0 3 ? * MON/2 *)', 'the day of week cannot be "MON/2"'],
  ['cron(0 3 * * ? 1969)', 'the year cannot be "1969"'],
  ['cron(, 3 * * ? *)', 'the minutes cannot be ","'],
  ['cron(1- 3 * * ? *)', 'the minutes cannot be "1-"'],
])('refuses %s', (expression, problem) => {
  expect(messageFor(expression)).toContain(problem);
});

test('takes all settings', () => {
  const schedule = {
    expression: 'cron(0 3 * * ? *)',
    timezone: 'Europe/Berlin',
    flexibleWindowMinutes: 30,
    enabled: false,
    start: '2026-01-01T00:00:00Z',
    end: '2026-12-31T00:00:00+01:00',
  };

  expect(settingsWith(schedule)).toEqual(schedule);
});

const cron = 'cron(0 3 * * ? *)';
test.each([
  [7, 'schedule: '],
  [{}, 'schedule.expression: '],
  [{ expression: 'daily' }, 'schedule.expression: expected rate(…) or cron(…)'],
  [{ expression: cron, timezone: 'Mars/Olympus' }, 'got "Mars/Olympus"'],
  [{ expression: cron, timezone: '+02:00' }, 'schedule.timezone: expected the IANA name'],
  [{ expression: cron, timezone: 'europe/berlin' }, 'expected Europe/Berlin, with these capitals'],
  [{ expression: 'rate(1 day)', timezone: 'Europe/Berlin' }, 'a rate has no time of day'],
  [{ expression: cron, flexibleWindowMinutes: 0 }, 'schedule.flexibleWindowMinutes: expected'],
  [{ expression: cron, flexibleWindowMinutes: 1441 }, 'from 1 to 1440'],
  [{ expression: cron, flexibleWindowMinutes: 1.5 }, 'a whole number of minutes'],
  [{ expression: cron, enabled: 'no' }, 'schedule.enabled: expected true or false'],
  [{ expression: cron, start: '2026-01-01' }, 'schedule.start: expected a time with its zone'],
  [{ expression: cron, start: '2026-13-01T00:00:00Z' }, 'schedule.start: expected a time'],
  [{ expression: cron, end: '2026-02-29T00:00:00Z' }, 'schedule.end: expected a time'],
  [
    { expression: cron, start: '2026-01-02T00:00:00Z', end: '2026-01-02T00:00:00Z' },
    'schedule.end: expected a time later than start',
  ],
  [{ expression: cron, timeZone: 'UTC' }, 'schedule.timeZone: '],
])('refuses %j', (schedule, problem) => {
  expect(messageFor(schedule)).toContain(problem);
});
