import { expect, test } from '@jest/globals';
import { isFirstContact, mayTryAgain } from '../../../lib/exports/first-contact.ts';
import { latestKey } from '../../../lib/exports/store-objects.ts';
import type { Gate } from '../../../lib/gate/ports.ts';
import { stateOf } from './state-of.ts';

const NEW: Gate = { blockedUntilMs: 0, haltedKeyVersions: [] };
const state = stateOf({});
const { counters, connection, list } = state;

async function isFirst(seen: {
  readonly gate?: Partial<Gate>;
  readonly state?: Partial<typeof state>;
  readonly stored?: readonly string[];
}): Promise<boolean> {
  const { gate = {}, stored = [] } = seen;
  const store = {
    read: async (key: string) => (stored.includes(key) ? { text: '{}', version: '1' } : undefined),
  };
  const lists = ['customers', 'orders'];
  return isFirstContact(store, { ...NEW, ...gate }, { ...state, ...seen.state }, lists);
}

test('an address is new where nothing has ever come from it', async () => {
  expect(await isFirst({})).toBe(true);
  expect(await isFirst({ stored: [latestKey('another', list)] })).toBe(true);
});

test.each<[string, Parameters<typeof isFirst>[0]]>([
  ['a page came', { state: { counters: { ...counters, pages: 1 } } }],
  ['a throttle came', { state: { counters: { ...counters, throttles: 1 } } }],
  ['a failure of the API itself came', { state: { wasAnswered: true } }],
  ['a wait was asked for, of any caller', { gate: { blockedUntilMs: 1 } }],
  [
    'a person ended such a wait',
    {
      gate: { opening: { id: 'a', atMs: 1, by: 'b', reason: 'c', untilMs: 2 } },
    },
  ],
  ['a key was rejected', { gate: { haltedKeyVersions: ['v1'] } }],
  ['the list was exported before', { stored: [latestKey(connection, list)] }],
  ['another list was exported before', { stored: [latestKey(connection, 'orders')] }],
])('no longer when %s', async (_, seen) => {
  expect(await isFirst(seen)).toBe(false);
});

test.each([
  [1, 999, true],
  [1, 1_000, false],
  [2, 0, true],
  [3, 0, false],
])('after %i failures of which the latest took %i ms it is asked again: %s', (...row) => {
  const [failures, tookMs, isAgain] = row;
  expect(mayTryAgain(failures, tookMs)).toBe(isAgain);
});
