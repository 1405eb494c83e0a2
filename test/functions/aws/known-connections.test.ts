import { expect, test } from '@jest/globals';
import type { KeyStore, StoredKey } from '../../../functions/aws/key-store.ts';
import { createKnownConnections } from '../../../functions/aws/known-connections.ts';
import type { NoKey } from '../../../lib/gate/ports.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';

const KEY: StoredKey = { kind: 'key', key: ApiKey.from('canary-key-4711'), keyVersion: 'v1' };
const MISSING: NoKey = { kind: 'no-key', reason: 'missing', message: 'There is none.' };
const MALFORMED: NoKey = { ...MISSING, reason: 'malformed' };

function worldWith(secrets: Record<string, StoredKey | NoKey>) {
  const asked: string[] = [];
  const world = { nowMs: 1_000_000, secrets, asked };
  const keyStore: KeyStore = {
    read: async (connection) => {
      asked.push(connection);
      return world.secrets[connection] ?? MISSING;
    },
  };
  const isKnown = createKnownConnections({
    isDeclared: (connection) => connection === 'declared',
    keyStore,
    clock: { now: () => world.nowMs },
  });
  return { world, isKnown };
}

test.each([
  ['has a key', 'stored', true],
  ['has a secret without a usable key', 'damaged', true],
  ['is named by the settings, before its secret is there', 'declared', true],
  ['has no secret', 'nobody', false],
])('a connection that %s', async (_title, connection, expected) => {
  const { isKnown } = worldWith({ stored: KEY, damaged: MALFORMED });

  expect(await isKnown(connection)).toBe(expected);
});

test.each(['', '../demo', 'Demo', 'a/b', 'x'.repeat(64), '__proto__'])(
  'never looks up %j, which is no name',
  async (text) => {
    const { isKnown, world } = worldWith({ [text]: KEY });

    expect(await isKnown(text)).toBe(false);
    expect(world.asked).toEqual([]);
  },
);

test('looks up a missing secret once in ten seconds, and finds it then', async () => {
  const { isKnown, world } = worldWith({});
  for (let times = 0; times < 5; times++) expect(await isKnown('new')).toBe(false);
  world.secrets = { new: KEY };
  world.nowMs += 9_999;
  expect(await isKnown('new')).toBe(false);
  expect(world.asked).toHaveLength(1);

  world.nowMs += 1;
  expect(await isKnown('new')).toBe(true);
});

test('a clock that is set back makes no connection disappear', async () => {
  const { isKnown, world } = worldWith({});
  await isKnown('new');
  world.secrets = { new: KEY };
  world.nowMs -= 3_600_000;

  expect(await isKnown('new')).toBe(true);
});

test('remembers a bounded number of made-up names', async () => {
  const { isKnown, world } = worldWith({});
  for (let index = 0; index < 1_001; index++) await isKnown(`made-up-${index}`);
  await isKnown('made-up-0');

  expect(world.asked.filter((name) => name === 'made-up-0')).toHaveLength(2);
});
