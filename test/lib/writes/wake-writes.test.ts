import { expect, test } from '@jest/globals';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { UnreadableItemError } from '../../../lib/steps/unreadable-item.ts';
import { wakeWrites } from '../../../lib/writes/wake-writes.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';

/** The sweep looks at a write that was accepted at 1,000 ms from then on. */
const DUE_MS = 1_000 + STALL_GRACE_MS;

interface Around {
  readonly nowMs?: number;
  readonly blockedUntilMs?: number;
  readonly hasKey?: boolean;
  /** Ids of the order line `o`. */
  readonly line?: readonly string[];
  readonly before?: WriteState;
}

const halted = { halted: { sinceMs: 1_000 } };
/** From one sweep to the next. */
const SWEEP_MS = 300_000;
const YEAR_MS = 365 * 24 * 3_600_000;
const ordered = { orderKey: 'o' };
const first = (own: Partial<WriteState>) => writeState({ writeId: 'first', ...ordered, ...own });
const over = { status: 'done', closed: true } as const;

test.each<[string, Partial<WriteState>, Around, string | undefined, number]>([
  ['one that stands still', {}, {}, 'wake', 1],
  ['one that stood still a moment less', {}, { nowMs: DUE_MS - 1 }, undefined, 0],
  ['one that just waited', { notBeforeMs: 1_001 }, {}, undefined, 0],
  ['one at work', { lease: { owner: 'a', untilMs: 1_001 } }, {}, undefined, 0],
  ['one whose worker is gone', { lease: { owner: 'a', untilMs: 1_000 } }, {}, 'wake', 1],
  ['one that the gate holds', {}, { blockedUntilMs: 1_001 }, 'nothing', 0],
  [
    'one past its deadline, whatever the gate says',
    { deadlineAtMs: 1_000 },
    { blockedUntilMs: DUE_MS },
    'wake',
    1,
  ],
  [
    'one past its deadline, however long its own wait is',
    { deadlineAtMs: 1_000, notBeforeMs: YEAR_MS },
    {},
    'wake',
    1,
  ],
  ['one that waits for a key', halted, { hasKey: false }, 'still-halted', 0],
  ['one that waited for a key', halted, {}, 'resume', 1],
  [
    'one that waits for a key past its deadline',
    { ...halted, deadlineAtMs: DUE_MS },
    { hasKey: false },
    'resume',
    1,
  ],
  ['one that is over and not told', { status: 'done', unannounced: true }, {}, 'close', 0],
  ['the first one of its order', ordered, { line: ['w'] }, 'wake', 1],
  ['one behind another one', ordered, { line: ['first', 'w'], before: first({}) }, 'nothing', 0],
  [
    'one behind one that is over',
    ordered,
    { line: ['first', 'w'], before: first(over) },
    'wake',
    1,
  ],
])('sweeps %s', async (_, own, around, result, wakeUps) => {
  const { line, before, ...told } = around;
  const state = writeState(own);
  const { world, ports, ledger, sent, events } = acceptWorld(
    before === undefined ? [state] : [state, before],
    line,
  );
  Object.assign(world, { nowMs: DUE_MS, ...told });

  const swept = await wakeWrites(ports);

  expect(swept.find(({ writeId }) => writeId === 'w')?.result).toBe(result);
  const woken = sent.filter(({ writeId }) => writeId === 'w');
  expect(woken).toHaveLength(wakeUps);
  const after = ledger.readWrite('acme', 'w');
  if (wakeUps > 0) expect(after).toMatchObject({ wakeUpSent: true, attempt: woken[0]?.attempt });
  expect(events.map(({ kind }) => kind)).toEqual(result === 'close' ? ['done'] : []);
  expect(after?.closed).toBe(result === 'close');
});

const rejected = { code: 'authentication-failure' } as const;
const missing = { code: 'key-missing', message: 'There is no secret.' } as const;

test.each([
  ['another key version was rejected', { ...rejected, status: 401, message: 'Of its own.' }],
  ['another key version had been rejected', { ...rejected, message: 'Version v1.' }],
  ['the key was malformed', { code: 'key-malformed', message: 'Version v1 is no JSON.' }] as const,
  ['it was missing before', missing],
])('a halted write says that its key is missing now, once, where %s', async (_, reason) => {
  const { world, ports, ledger, sent, events } = acceptWorld([writeState({ ...halted, reason })]);
  Object.assign(world, { nowMs: DUE_MS, hasKey: false });
  const before = ledger.readWrite('acme', 'w');

  expect(await wakeWrites(ports)).toMatchObject([{ result: 'still-halted' }]);

  const after = ledger.readWrite('acme', 'w');
  const writeToken = reason === missing ? before?.writeToken : 'token-1';
  expect(after).toEqual({ ...before, writeToken, reason: missing });
  await wakeWrites(ports);
  expect(ledger.readWrite('acme', 'w')).toEqual(after);
  expect([...sent, ...events]).toEqual([]);
});

test.each([
  ['names the rejected version of now', { ...rejected, message: 'Version v0.' }, 'version v1'],
  ['keeps the answer to its own request', { ...rejected, status: 401, message: 'Own.' }, 'Own.'],
])('a halted write whose newest key is rejected %s', async (_, reason, message) => {
  const { world, ports, ledger } = acceptWorld([writeState({ ...halted, reason })]);
  world.nowMs = DUE_MS;
  const read = async () => ({ blockedUntilMs: 0, haltedKeyVersions: ['v0', 'v1'] });

  await wakeWrites({ ...ports, gates: { ...ports.gates, read } });

  expect(ledger.readWrite('acme', 'w')?.reason?.message).toContain(message);
});

const untoldWait = { sinceMs: 1_000, untilMs: YEAR_MS };

test.each([
  ['tells it to the gate and lets the write be', true, 0, YEAR_MS, undefined],
  ['lets the write be where the gate has a longer one', false, YEAR_MS + 1, YEAR_MS + 1, undefined],
  ['tries again with the next sweep where the gate does not take it', false, 0, 0, untoldWait],
])(
  'a wait that the gate did not take from a write that is over: %s',
  async (_, canBlock, before, after, left) => {
    const { world, ports, ledger, sent } = acceptWorld([writeState({ ...over, untoldWait })]);
    Object.assign(world, { nowMs: DUE_MS, canBlock, blockedUntilMs: before });

    expect(await wakeWrites(ports)).toMatchObject([{ result: left ? 'error' : 'nothing' }]);

    expect(world.blockedUntilMs).toBe(after);
    expect(ledger.readWrite('acme', 'w')?.untoldWait).toEqual(left);
    expect(await wakeWrites(ports)).toHaveLength(left === undefined ? 0 : 1);
    expect(sent).toEqual([]);
  },
);

test('a wait that the gate did not take from a write that waits is told, and keeps the sweep from waking it', async () => {
  const { world, ports, sent } = acceptWorld([writeState({ notBeforeMs: YEAR_MS, untoldWait })]);
  world.nowMs = DUE_MS;

  expect(await wakeWrites(ports)).toMatchObject([{ result: 'nothing' }]);
  expect(world.blockedUntilMs).toBe(YEAR_MS);
  expect(sent).toEqual([]);
});

test('a gate that takes no wait keeps no write from being woken', async () => {
  const { world, ports, sent } = acceptWorld([writeState({ untoldWait })]);
  Object.assign(world, { nowMs: DUE_MS, canBlock: false });

  expect(await wakeWrites(ports)).toMatchObject([{ result: 'error' }]);
  expect(sent).toHaveLength(1);
});

test('each sweep finds a write that nothing goes on with, as the alarm counts sweeps in a row', async () => {
  const { world, ports } = acceptWorld([writeState({ deadlineAtMs: YEAR_MS })]);
  world.nowMs = DUE_MS;

  for (let sweeps = 0; sweeps < 40; sweeps++) {
    expect(await wakeWrites(ports)).toMatchObject([{ result: 'wake' }]);
    // The wake-up was stored a moment after the sweep began, and the next sweep may come a little early.
    world.nowMs += SWEEP_MS - 10_000;
  }
});

test('gives the bus up for this sweep after some failures, and lets the writes behind what is over go on', async () => {
  const untold = { status: 'done', unannounced: true } as const;
  const many = Array.from({ length: 100 }, (_, at) =>
    writeState({ writeId: `w-${at}`, ...untold }),
  );
  const last = writeState({ writeId: 'x-last', ...ordered, ...untold });
  const next = writeState({ writeId: 'x-next', ...ordered });
  const { world, ports, ledger, sent } = acceptWorld([...many, last, next], ['x-last', 'x-next']);
  Object.assign(world, { nowMs: DUE_MS });
  let tries = 0;
  const publish = async () => {
    tries += 1;
    throw new Error('EventBridge is out of order');
  };

  const swept = await wakeWrites({ ...ports, events: { publish } });

  expect(tries).toBeLessThan(20);
  expect(swept.filter(({ result }) => result === 'error')).toHaveLength(tries);
  expect(ledger.readWrite('acme', 'x-last')).toMatchObject({ unannounced: true });
  expect(sent.map(({ writeId }) => writeId)).toContain('x-next');

  await wakeWrites(ports);
  expect(
    [...many, last].filter(({ writeId }) => !ledger.readWrite('acme', writeId)?.closed),
  ).toEqual([]);
});

test('takes an order that cannot go on for no failure of the bus: the ends of all others are told', async () => {
  const ended = { status: 'done', unannounced: true } as const;
  const stuck = Array.from({ length: 30 }, (_, at) =>
    writeState({ writeId: `a-${at}`, orderKey: 'o', ...ended, unannounced: false }),
  );
  const next = writeState({ writeId: 'next', ...ordered, lease: { owner: 'x', untilMs: YEAR_MS } });
  const others = Array.from({ length: 30 }, (_, at) =>
    writeState({ writeId: `b-${at}`, ...ended }),
  );
  const ids = [...stuck, next].map(({ writeId }) => writeId);
  const { world, ports, ledger } = acceptWorld([...stuck, next, ...others], ids);
  world.nowMs = DUE_MS;
  const { readWrite } = ports.ledger;
  const broken: typeof readWrite = (connection, writeId) =>
    writeId === 'next'
      ? Promise.reject(new UnreadableItemError({ connection, sort: 'write#next' }, ['operation']))
      : readWrite(connection, writeId);

  await wakeWrites({ ...ports, ledger: { ...ports.ledger, readWrite: broken } });

  const open = others.filter(({ writeId }) => !ledger.readWrite('acme', writeId)?.closed);
  expect(open).toEqual([]);
});
