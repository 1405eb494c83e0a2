import { expect, test } from '@jest/globals';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import type { GatedClient } from '../../../lib/gate/gated-client.ts';
import { carryOutWrite, type WriteWork } from '../../../lib/writes/carry-out-write.ts';
import { decideWrite } from '../../../lib/writes/decide-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';
import { settingsWith } from './default-settings.ts';

const NOW_MS = 50_000;
const ENDS_AT_MS = NOW_MS + 100_000;
const settings = settingsWith({ requestTimeoutMs: 20_000, idempotencyKeySeconds: 60 });
const OPEN_GATE = { blockedUntilMs: 0 };
const REASON = { code: 'no-clear-answer', message: 'Cut.' } as const;

/** One write that is carried out, with a client that answers as a test says. */
function worldOf(write: Partial<WriteState>, client: Partial<GatedClient>) {
  const state = writeState(write);
  const { world, ledger, ports: own, sent } = acceptWorld([state]);
  world.nowMs = NOW_MS;
  const slept: number[] = [];
  const refuse = async () => {
    throw new Error('Nothing may be sent.');
  };
  const gated: GatedClient = { listPage: refuse, read: refuse, write: refuse, ...client };
  const work: WriteWork = {
    ports: {
      ...own,
      clock: { now: own.clock.now, sleep: async (ms) => void slept.push(ms) },
      gates: asynchronous(new MemoryGates()),
      clients: { of: () => gated },
    },
    ...{ settings, clientOf: () => gated, endsAtMs: ENDS_AT_MS, wait: { ...OPEN_GATE } },
    takePlace: async () => true,
  };
  const carryOut = () => {
    const ready = decideWrite({ kind: 'open', state }, OPEN_GATE, NOW_MS, settings);
    if (ready.kind !== 'ready')
      throw new Error(`expected a write that is ready, got ${ready.kind}`);
    return carryOutWrite(work, ready);
  };
  return { world, work, carryOut, slept, sent, stored: () => ledger.readWrite('acme', 'w') };
}

test('sends nothing when the claim took so long that its lease may end before the answer', async () => {
  const { world, work, carryOut, stored, sent } = worldOf({}, {});
  const { writeWrite } = work.ports.ledger;
  work.ports.ledger.writeWrite = async (...args) => {
    const swapped = await writeWrite(...args);
    world.nowMs = ENDS_AT_MS - 29_000;
    return swapped;
  };

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'goes-on' });
  expect(stored()).toMatchObject({ status: 'intended', attempt: 1, counters: { requests: 0 } });
  expect(stored()).not.toHaveProperty('doubt');
  expect(sent).toHaveLength(1);
});

test('a check ends while there is time to store what it came to', async () => {
  const check = { kind: 'read', resource: 'customers/7' } as const;
  const { carryOut, slept, stored } = worldOf(
    {
      status: 'sent',
      doubt: { sinceMs: 0, reason: REASON },
      operation: { ...writeState().operation, check },
      // The key of that request is not kept any more.
      firstSentAtMs: 1_000,
    },
    { read: async () => ({ kind: 'resource', status: 200, bodyText: '{}', idKey: 'id' }) },
  );
  await carryOut();

  expect(slept).toEqual([ENDS_AT_MS - NOW_MS - 10_000]);
  expect(stored()).toMatchObject({ status: 'done', settledBy: 'check' });
});

test('a wait that one write is told holds the others of the invocation', async () => {
  const { work, carryOut } = worldOf(
    {},
    {
      write: async () => ({
        ...{ kind: 'throttled', status: 429, retryAfterSeconds: 9, waitSource: 'retry-after' },
      }),
    },
  );
  await carryOut();

  expect(work.wait.blockedUntilMs).toBe(NOW_MS + 9_000);
});

test('a client that cannot send leaves a write without doubt, which is tried again', async () => {
  const { carryOut, stored } = worldOf({}, {});

  await expect(carryOut()).rejects.toThrow('Nothing may be sent.');
  expect(stored()).toMatchObject({ status: 'intended', counters: { failuresInRow: 1 } });
  expect(stored()).not.toHaveProperty('lease');
  expect(stored()).not.toHaveProperty('doubt');
});
