import { expect, test } from '@jest/globals';
import { readNewestComplete } from '../../../lib/exports/measure-connections.ts';

const NOW = Date.parse('2026-01-02T00:00:00Z');
const storeWith = (text: string | undefined) => ({
  read: async (key: string) => {
    expect(key).toBe('exports/connection=demo/latest.json');
    return text === undefined ? undefined : { text, version: '1' };
  },
});
const newest = (text: string | undefined) => readNewestComplete(storeWith(text), 'demo', NOW);

test('tells the age since the newest complete export ended', async () => {
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
