import { expect, test } from '@jest/globals';
import { asynchronous } from '../../../infra/command/try/memory-ledger.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import type { ComparisonLine } from '../../../lib/changes/comparison-line.ts';
import type { ChangePointer, ChangePorts } from '../../../lib/changes/ports.ts';
import { wakeChanges } from '../../../lib/changes/wake-changes.ts';
import { defined } from '../../../lib/defined.ts';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { MemoryChangeLedger } from '../../faults/changes/memory-change-ledger.ts';
import { changeStateOf } from './change-state-of.ts';

const NOW_MS = Date.UTC(2026, 0, 10);
const DAY_MS = 24 * 3600 * 1000;

function worldOf() {
  const ledger = new MemoryChangeLedger();
  const sent: ChangePointer[] = [];
  const ports: ChangePorts = {
    clock: { now: () => NOW_MS, sleep: async () => undefined },
    random: { token: () => 'token', fraction: () => 0.5 },
    ledger: asynchronous(ledger),
    queue: { send: async (pointer) => void sent.push(pointer) },
    events: { publish: async () => undefined },
  };
  return { ledger, ports, sent };
}

/** What a sweep does where these changes are on their way. */
async function sweep(own: Partial<ChangeState>, line: Partial<ComparisonLine> = {}) {
  const { ledger, ports, sent } = worldOf();
  const times = { comparedAtMs: NOW_MS - DAY_MS, updatedAtMs: NOW_MS, notBeforeMs: NOW_MS };
  const state = changeStateOf({ status: 'publishing', closed: true, ...times, ...own });
  ledger.writeChange(state, undefined);
  const { connection, list } = state;
  ledger.writeComparisonLine({ v: 1, connection, list, writeToken: 'l', ...line }, undefined);
  const swept = await wakeChanges(ports);
  return { swept, sent, after: ledger.readChange(connection, state.exportId) };
}

test('changes wait from their comparison on', async () => {
  expect((await sweep({})).swept).toMatchObject([{ result: 'nothing', waitedSeconds: 24 * 3600 }]);
});

test('changes that a person held up wait from the decision on', async () => {
  const decided = { decision: 'release', by: 'ada', atMs: NOW_MS - 60_000 } as const;
  const { swept } = await sweep({ decided });
  expect(swept).toMatchObject([{ result: 'nothing', waitedSeconds: 60 }]);
});

const STALLED_MS = NOW_MS - STALL_GRACE_MS;
const stalled = { updatedAtMs: STALLED_MS, notBeforeMs: STALLED_MS, step: 3 };

test.each<[string, Partial<ChangeState>, string, number]>([
  ['changes that stand still on their way to be told', stalled, 'wake', 1],
  [
    'changes that were told a moment ago',
    { ...stalled, updatedAtMs: STALLED_MS + 1 },
    'nothing',
    0,
  ],
  ['changes that just waited', { ...stalled, notBeforeMs: STALLED_MS + 1 }, 'nothing', 0],
  [
    'changes whose worker just left',
    { ...stalled, lease: { owner: 'a', untilMs: STALLED_MS + 1 } },
    'nothing',
    0,
  ],
])('sweeps %s', async (_, own, result, wakeUps) => {
  const { swept, sent, after } = await sweep(own);

  expect(swept).toMatchObject([{ result }]);
  expect(sent).toHaveLength(wakeUps);
  if (wakeUps > 0) {
    expect(sent).toMatchObject([{ exportId: 'now', step: 3 }]);
    expect(after).toMatchObject({ wakeUpSent: true, updatedAtMs: NOW_MS });
  }
});

test('changes whose place in the line is not taken yet take it, and their first wake-up is sent', async () => {
  const line = defined({ base: changeStateOf().since });
  const { swept, sent, after } = await sweep({ ...stalled, step: 0, closed: false }, line);

  expect(swept).toMatchObject([{ result: 'close' }]);
  expect(after).toMatchObject({ closed: true, status: 'publishing', wakeUpSent: true });
  expect(sent).toMatchObject([{ exportId: 'now', step: 0 }]);
});

test.each([
  ['wait while the line of their list holds them', 'now', 'waits', 'held'],
  ['are superseded where it holds newer ones', 'newer', 'close', 'superseded'],
])('changes that wait for a person %s', async (_, held, result, status) => {
  const { swept, after } = await sweep({ status: 'held', closed: true }, { held });

  expect(swept).toMatchObject([{ result }]);
  expect(after?.status).toBe(status);
});

test('each sweep finds changes that nothing goes on with, as the alarm counts sweeps in a row', async () => {
  // The sweep before woke them five minutes ago, and was ten seconds late.
  const { swept } = await sweep({ ...stalled, updatedAtMs: NOW_MS - 290_000 });

  expect(swept).toMatchObject([{ result: 'wake' }]);
});

const WAITING = { comparedAtMs: NOW_MS - DAY_MS, ...stalled };
const down = () => Promise.reject(new TypeError('DynamoDB is out of order'));

test.each([
  ['those that wait for a person', { listHeldChanges: down }, 'held', 'wake'],
  ['those on their way', { listUnfinishedChanges: down }, 'unfinished', 'waits'],
])(
  'of an index without an answer, of %s, one row tells, and the others go on',
  async (_, broken, unread, result) => {
    const { ledger, ports } = worldOf();
    ledger.writeChange(
      changeStateOf({ status: 'publishing', closed: true, ...WAITING }),
      undefined,
    );
    const held = changeStateOf({ exportId: 'held', status: 'held', closed: true, ...WAITING });
    ledger.writeChange(held, undefined);
    const { connection, list } = held;
    const line = { v: 1, connection, list, writeToken: 'l', held: 'held' } as const;
    ledger.writeComparisonLine(line, undefined);

    const swept = await wakeChanges({ ...ports, ledger: { ...ports.ledger, ...broken } });

    expect(swept).toHaveLength(2);
    expect(swept).toEqual(
      expect.arrayContaining([
        {
          connection: 'unknown',
          exportId: 'unknown',
          unread,
          result: 'error',
          problem: 'TypeError',
        },
        expect.objectContaining({ connection, result }),
      ]),
    );
  },
);

test('gives the bus up for this sweep after some failures, and wakes what stands still all the same', async () => {
  const { ledger, ports, sent } = worldOf();
  for (let at = 0; at < 100; at++) {
    const own = {
      exportId: `open-${at}`,
      list: `l-${at}`,
      status: 'found',
      closed: false,
    } as const;
    const state = changeStateOf({ ...WAITING, ...own });
    ledger.writeChange(state, undefined);
    const base = defined({ base: state.since });
    const line = { v: 1, connection: state.connection, list: state.list, writeToken: 'l' } as const;
    ledger.writeComparisonLine({ ...line, ...base }, undefined);
  }
  const last = { exportId: 'z-last', status: 'publishing', closed: true } as const;
  ledger.writeChange(changeStateOf({ ...WAITING, ...last }), undefined);
  let tries = 0;
  const publish = async () => {
    tries += 1;
    throw new Error('EventBridge is out of order');
  };

  const swept = await wakeChanges({ ...ports, events: { publish } });

  expect(tries).toBeGreaterThanOrEqual(10);
  expect(tries).toBeLessThan(20);
  expect(swept.filter(({ result }) => result === 'error')).toHaveLength(tries);
  expect(sent).toMatchObject([{ exportId: 'z-last' }]);
});
