import { expect, test } from '@jest/globals';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import type { GatedClient } from '../../../lib/gate/gated-client.ts';
import { carryOutWrite, type WriteWork } from '../../../lib/writes/carry-out-write.ts';
import { decideWrite } from '../../../lib/writes/decide-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { pageOf } from '../customers-api/walks/moving-list.ts';
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
    ...{
      settings,
      clientOf: () => gated,
      endsAtMs: ENDS_AT_MS,
      wait: { ...OPEN_GATE, untoldUntilMs: 0 },
    },
    takePlace: async () => true,
  };
  const carryOut = () => {
    const sending = { nowMs: NOW_MS, credential: write.credential };
    const ready = decideWrite({ kind: 'open', state }, OPEN_GATE, sending, settings);
    if (ready.kind !== 'ready')
      throw new Error(`expected a write that is ready, got ${ready.kind}`);
    return carryOutWrite(work, ready);
  };
  return {
    world,
    work,
    carryOut,
    slept,
    sent,
    ledger,
    stored: () => ledger.readWrite('acme', 'w'),
  };
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

test('a check that cannot be made leaves a write in doubt without its lease, and is tried again', async () => {
  const check = { kind: 'read', resource: 'customers/7' } as const;
  const doubt = { sinceMs: 0, reason: REASON };
  const operation = { ...writeState().operation, check };
  const { carryOut, stored, sent } = worldOf(
    { status: 'sent', doubt, operation, firstSentAtMs: 1_000 },
    {},
  );

  await expect(carryOut()).rejects.toThrow('Nothing may be sent.');
  expect(stored()).toMatchObject({
    status: 'sent',
    doubt,
    counters: { failuresInRow: 1, checks: 0 },
  });
  expect(stored()).not.toHaveProperty('lease');
  expect(sent).toHaveLength(1);
});

const { check: _check, ...UNCHECKED } = writeState().operation;
const REPEATED = { status: 'sent', firstSentAtMs: 49_000, credential: 'v1/' } as const;

test.each<[string, Partial<WriteState>, object]>([
  ['is refused', {}, { status: 'refused', reason: { code: 'refused' } }],
  [
    'is left to a person where an earlier request may have taken effect',
    { ...REPEATED, operation: UNCHECKED, doubt: { sinceMs: 0, reason: REASON } },
    { status: 'unclear', reason: { code: 'repeat-refused' } },
  ],
  [
    'is looked for where an earlier request may have taken effect and a check can show it',
    { ...REPEATED, doubt: { sinceMs: 0, reason: REASON } },
    { status: 'sent', doubt: { refusal: { code: 'refused' } } },
  ],
])('a write whose resource an older version accepted %s, without a request', async (...row) => {
  const [, write, expected] = row;
  const { carryOut, stored } = worldOf({ ...write, resource: 'customers/..%2Finvoices' }, {});

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge' });
  expect(stored()).toMatchObject({ ...expected, counters: { requests: 0 } });
});

test('a write that waited for its place goes back to the queue when a wait was told meanwhile', async () => {
  const { work, carryOut, sent, stored } = worldOf({}, {});
  work.wait.blockedUntilMs = NOW_MS + 1;

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'early' });
  expect(sent).toHaveLength(1);
  expect(stored()).toEqual(writeState());
});

test.each([
  ['its key may not be there any more', 70_001],
  ['there is no time for a request', ENDS_AT_MS - 29_999],
])('a write that waited for its place so long that %s goes back to the queue', async (_, nowMs) => {
  const firstSentAtMs = nowMs > 100_000 ? nowMs : 30_000;
  const write = { status: 'sent', firstSentAtMs, doubt: { sinceMs: 0, reason: REASON } } as const;
  const { world, carryOut, sent, stored } = worldOf(write, {});
  world.nowMs = nowMs;

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'early' });
  expect(sent).toHaveLength(1);
  expect(stored()).toEqual(writeState(write));
});

test('a write that another worker left in doubt meanwhile is not sent', async () => {
  const { carryOut, ledger, stored } = worldOf({}, {});
  const refusal = { code: 'refused', message: 'Taken.' } as const;
  const other = { doubt: { sinceMs: 0, reason: REASON, refusal }, writeToken: 'other' };
  ledger.writeWrite(writeState(other), 'first');

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'early' });
  expect(stored()).toEqual(writeState(other));
});

test('a wait that a check is told holds the others of the invocation', async () => {
  const outcome = { kind: 'throttled', status: 429, retryAfterSeconds: 9 } as const;
  const { work, carryOut } = worldOf(
    {
      ...{ status: 'sent', firstSentAtMs: 1_000 },
      doubt: { sinceMs: 0, reason: REASON },
    },
    { listPage: async () => ({ ...outcome, waitSource: 'retry-after' }) },
  );
  await carryOut();

  expect(work.wait.blockedUntilMs).toBe(NOW_MS + 9_000);
});

test.each([
  ['while there is more time', NOW_MS],
  ['up to the last moment at which there is time for it', ENDS_AT_MS - 30_000],
])('a request has its timeout %s', async (_, nowMs) => {
  const { world, carryOut, slept, stored } = worldOf(
    {},
    { write: async () => ({ kind: 'done', status: 204 }) },
  );
  world.nowMs = nowMs;

  expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'done' });
  expect(slept).toEqual([20_000]);
  expect(stored()).toMatchObject({ counters: { requests: 1 } });
});

test('from its first claim on a write is bound to the organization of the key in use', async () => {
  const client: Partial<GatedClient> = { write: async () => ({ kind: 'done', status: 204 }) };
  const first = worldOf({}, client);
  await first.carryOut();
  expect(first.stored()?.credential).toBe('v1/');

  const bound = worldOf({}, client);
  bound.ledger.writeWrite(writeState({ credential: 'other', writeToken: 'other' }), 'first');
  await bound.carryOut();
  expect(bound.stored()?.credential).toBe('other');
});

/** A write in doubt whose key is over, and what happens while its check finds nothing. */
function checkedWorld(meanwhile: (made: ReturnType<typeof worldOf>) => void) {
  let requests = 0;
  const made: ReturnType<typeof worldOf> = worldOf(
    { status: 'sent', firstSentAtMs: 1_000, doubt: { sinceMs: 0, reason: REASON } },
    {
      listPage: async () => {
        meanwhile(made);
        return pageOf([], 1, { total: 0, totalPages: 0 });
      },
      write: async () => {
        requests++;
        return { kind: 'done', status: 204 };
      },
    },
  );
  return { ...made, requests: () => requests };
}

test('a write that a check found without effect is sent in a place of its own', async () => {
  let places = 0;
  const takePlace = async () => {
    places++;
    return true;
  };
  const { carryOut, requests } = checkedWorld(
    ({ work }) => void Object.assign(work, { takePlace }),
  );

  expect(await carryOut()).toMatchObject({ result: 'done' });
  expect([requests(), places]).toEqual([1, 1]);
});

test.each<[string, Parameters<typeof checkedWorld>[0]]>([
  ['there is no place', ({ work }) => void Object.assign(work, { takePlace: async () => false })],
  ['there is no time', ({ world }) => void Object.assign(world, { nowMs: ENDS_AT_MS - 29_999 })],
])(
  'a write that a check found without effect is tried again later when %s for it',
  async (_, meanwhile) => {
    const { carryOut, requests, stored } = checkedWorld(meanwhile);

    expect(await carryOut()).toMatchObject({ answer: 'acknowledge', result: 'goes-on' });
    expect(requests()).toBe(0);
    expect(stored()).toMatchObject({ status: 'intended', attempt: 1, counters: { checks: 1 } });
    expect(stored()).not.toHaveProperty('doubt');
  },
);

test('a write that another worker has by the end of its check is not sent', async () => {
  const { carryOut, requests } = checkedWorld(({ ledger, stored }) => {
    const claimed = stored();
    if (claimed === undefined) throw new Error('expected the write');
    ledger.writeWrite({ ...claimed, writeToken: 'other' }, claimed.writeToken);
  });

  expect(await carryOut()).toMatchObject({ answer: 'retry', result: 'overtaken' });
  expect(requests()).toBe(0);
});

test('a check goes on with another page only while there is time for it', async () => {
  let pages = 0;
  const { world, carryOut, stored } = worldOf(
    { status: 'sent', firstSentAtMs: 1_000, doubt: { sinceMs: 0, reason: REASON } },
    {
      listPage: async () => {
        pages++;
        world.nowMs = ENDS_AT_MS - 29_999;
        return pageOf(['{"address":{"city":"Bonn"}}'], 1, { total: 2, totalPages: 2 });
      },
    },
  );
  await carryOut();

  expect(pages).toBe(1);
  expect(stored()).toMatchObject({ status: 'sent', doubt: { reason: REASON } });
});

test('a check that is held up by the wait of another caller goes on after it, and is not counted', async () => {
  const { work, carryOut, stored } = worldOf(
    {
      ...{ status: 'sent', firstSentAtMs: 1_000, doubt: { sinceMs: 0, reason: REASON } },
      counters: { ...writeState().counters, unknownChecksInRow: 9 },
    },
    {
      listPage: async () => pageOf(['{"address":{"city":"Bonn"}}'], 1, { total: 2, totalPages: 2 }),
    },
  );
  const takePlace = async () => {
    work.wait.blockedUntilMs = NOW_MS + 45_000;
    return false;
  };
  Object.assign(work, { takePlace });
  await carryOut();

  expect(stored()).toMatchObject({
    ...{ status: 'sent', notBeforeMs: NOW_MS + 45_000 },
    counters: { checks: 0, unknownChecksInRow: 9 },
  });
});
