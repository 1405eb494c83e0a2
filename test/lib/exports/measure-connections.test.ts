import { expect, test } from '@jest/globals';
import {
  isWithin,
  measureConnections,
  readNewestComplete,
} from '../../../lib/exports/measure-connections.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const PLACE = 'exports/connection=demo/list=customers/latest.json';
const newest = (text: string | undefined, list = 'customers') => {
  const read = async (key: string) =>
    text === undefined || key !== PLACE ? undefined : { text, version: '1' };
  return readNewestComplete({ read }, { connection: 'demo', list }, NOW);
};
const latest = (exportId: string) =>
  JSON.stringify({ exportId, endedAt: '2026-01-01T23:00:00.000Z' });

test('reads the place of no other list', async () => {
  expect(await newest(latest('new'), 'invoices')).toEqual({ kind: 'never-exported' });
});

test('tells the age since the newest completed export ended', async () => {
  const text = JSON.stringify({ exportId: 'e', endedAt: '2026-01-01T23:00:00.000Z', customers: 1 });

  expect(await newest(text)).toEqual({ kind: 'exported', exportId: 'e', ageSeconds: 3600 });
});

test('an export that ended ahead of this clock is not of negative age', async () => {
  const text = JSON.stringify({ exportId: 'e', endedAt: '2026-01-02T00:00:05.000Z' });

  expect(await newest(text)).toMatchObject({ ageSeconds: 0 });
});

test('tells when there is none', async () => {
  expect(await newest(undefined)).toEqual({ kind: 'never-exported' });
});

test.each(['', 'null', '{}', '{"exportId":"e","endedAt":"yesterday"}'])(
  'does not take %j for an age',
  async (text) => {
    expect(await newest(text)).toEqual({ kind: 'unreadable' });
  },
);

const HOUR_MS = 3_600_000;
const NEVER = { kind: 'never-exported' } as const;
const exported = (ageSeconds: number) => ({ kind: 'exported', exportId: 'e', ageSeconds }) as const;

test.each([
  ['was exported within the time', exported(26 * 3600), 0, { overdue: 0, neverExported: 0 }],
  ['was exported before it', exported(26 * 3600 + 1), 0, { overdue: 1, neverExported: 0 }],
  ['is younger than that', NEVER, NOW - 26 * HOUR_MS, { overdue: 0, neverExported: 0 }],
  ['is older than that', NEVER, NOW - 26 * HOUR_MS - 1, { overdue: 0, neverExported: 1 }],
  ['has no secret', NEVER, undefined, { overdue: 0, neverExported: 1 }],
])('counts a connection that %s', (_title, newest, createdAtMs, expected) => {
  expect(measureConnections([{ newest, createdAtMs }], NOW, 26)).toMatchObject(expected);
});

test.each([
  ['is no older than that', exported(90 * 24 * 3600), 26, { overdue: 0, oldestSeconds: 26 * 3600 }],
  ['is older than that', exported(90 * 24 * 3600), 27, { overdue: 1, oldestSeconds: 27 * 3600 }],
  ['began after it', exported(3600), 27, { overdue: 0, oldestSeconds: 3600 }],
  ['is no older, without an export', NEVER, 26, { neverExported: 0 }],
  ['is older, without an export', NEVER, 27, { neverExported: 1 }],
])(
  'an export that a schedule should have made is late when the schedule %s',
  (_, newest, hours, expected) => {
    const startMs = NOW - hours * HOUR_MS;
    expect(measureConnections([{ newest, createdAtMs: 0, startMs }], NOW, 26)).toMatchObject(
      expected,
    );
  },
);

test('no list is late when there is none, so that an alarm ends', () => {
  const none = { oldestSeconds: 0, overdue: 0, neverExported: 0 };
  expect(measureConnections([], NOW, 26)).toEqual(none);
});

test.each([
  [{}, true],
  [{ startMs: NOW }, true],
  [{ startMs: NOW + 1 }, false],
  [{ startMs: 0, endMs: NOW + 1 }, true],
  [{ endMs: NOW }, false],
])('a schedule of %j starts exports: %s', (period, expected) => {
  expect(isWithin(period, NOW)).toBe(expected);
});
