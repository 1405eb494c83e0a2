import { expect, jest, test } from '@jest/globals';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { Latest } from '../../../lib/exports/manifest.ts';
import { moveLatest } from '../../../lib/exports/move-forward.ts';
import type { Store } from '../../../lib/exports/ports.ts';
import { latestCompleteKey, latestKey } from '../../../lib/exports/store-objects.ts';
import { MemoryStore } from '../../faults/memory-store.ts';

function latest(exportId: string, day: number): Latest {
  const startedAt = `2026-01-0${day}T00:00:00.000Z`;
  return {
    version: 1,
    connection: 'acme',
    list: 'customers',
    exportId,
    startedAt,
    endedAt: startedAt,
    manifestKey: 'm',
    customers: 1,
    completeness: 'complete',
  };
}

/** A store in which something may happen between a read and the write that follows it. */
function storeWith(memory: MemoryStore, afterRead: () => void = () => undefined): Store {
  return {
    ...asynchronous(memory),
    read: async (key) => {
      const text = memory.read(key);
      afterRead();
      return text;
    },
  };
}

function namedBy(memory: MemoryStore): unknown {
  return JSON.parse(memory.read(latestKey('acme', 'customers'))?.text ?? 'null')?.exportId;
}

test('moves forwards only', async () => {
  const memory = new MemoryStore();
  const store = storeWith(memory);
  await moveLatest(store, latest('second', 2));
  await moveLatest(store, latest('first', 1));
  expect(namedBy(memory)).toBe('second');
  const writes = jest.spyOn(memory, 'replace');
  await moveLatest(store, latest('second', 2));
  expect(writes).not.toHaveBeenCalled();
  await moveLatest(store, latest('third', 3));
  expect(namedBy(memory)).toBe('third');
});

test.each(['drifted', 'unproven'] as const)(
  'names no export as the latest complete one that is %s',
  async (completeness) => {
    const memory = new MemoryStore();
    await moveLatest(storeWith(memory), { ...latest('first', 1), completeness });
    expect(namedBy(memory)).toBe('first');
    expect(memory.read(latestCompleteKey('acme', 'customers'))).toBeUndefined();
  },
);

test('gives way to a newer export that comes between its look and its write', async () => {
  const memory = new MemoryStore();
  let reads = 0;
  const store = storeWith(memory, () => {
    const isFirst = reads++ === 0;
    if (isFirst) void moveLatest(storeWith(memory), latest('newer', 9));
  });
  const slow: Store = {
    ...store,
    read: async (key) => {
      const text = await store.read(key);
      await new Promise((resolve) => setImmediate(resolve));
      return text;
    },
  };
  await moveLatest(slow, latest('older', 1));
  expect(namedBy(memory)).toBe('newer');
});

test.each(['', '{', '{"exportId":1}', '[]', '{"exportId":"x","startedAt":"yesterday"}'])(
  'replaces an unreadable one: %j',
  async (text) => {
    const memory = new MemoryStore();
    memory.objects.set(latestKey('acme', 'customers'), Buffer.from(text));
    await moveLatest(storeWith(memory), latest('first', 1));
    expect(namedBy(memory)).toBe('first');
  },
);

test('gives up with a reason when a store keeps saying that it changed', async () => {
  const store: Store = {
    ...storeWith(new MemoryStore()),
    replace: () => Promise.resolve('changed'),
  };
  await expect(moveLatest(store, latest('first', 1))).rejects.toThrow('changed 5 times');
});
