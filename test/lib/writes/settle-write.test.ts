import { expect, test } from '@jest/globals';
import { closeWrite } from '../../../lib/writes/close-write.ts';
import { settleWrite } from '../../../lib/writes/settle-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { acceptWorld } from './accept-world.ts';
import { settingsWith } from './default-settings.ts';

test('a retry whose wake-up could not be sent sends it when it is asked for again, and only then', async () => {
  const { world, ports, ledger, sent } = acceptWorld([
    writeState({ status: 'unclear', attempt: 3, closed: true }),
  ]);
  const settings = settingsWith();
  const name = { connection: 'acme', writeId: 'w', attempt: 3 };
  const retry = () => settleWrite(ports, settings, { ...name, decision: 'retry', by: 'ada' });

  world.canSend = false;
  await expect(retry()).rejects.toThrow('SQS');
  world.canSend = true;
  expect(await retry()).toMatchObject({ kind: 'settled', state: { status: 'intended' } });
  expect(sent).toEqual([{ v: 1, connection: 'acme', writeId: 'w', attempt: 4 }]);

  await retry();
  expect(sent).toHaveLength(1);
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ wakeUpSent: true });
});

const CUT = { code: 'no-clear-answer', message: 'Cut.' } as const;
const UNCLEAR: Partial<WriteState> = {
  status: 'unclear',
  attempt: 3,
  unannounced: true,
  credential: 'former',
  doubt: { sinceMs: 1, reason: CUT },
  reason: CUT,
};
const DAY_MS = 24 * 3_600_000;

/** What a decision about a write comes to. */
async function settled(
  own: Partial<WriteState>,
  asked: Partial<Parameters<typeof settleWrite>[2]> = {},
  hasKey = true,
) {
  const { world, ports, ledger, events, sent } = acceptWorld([writeState(own)]);
  Object.assign(world, { nowMs: 100_000, hasKey });
  const name = { connection: 'acme', writeId: 'w', attempt: 3 };
  const request = { ...name, decision: 'retry', by: 'ada', ...asked } as const;
  const { kind } = await settleWrite(ports, settingsWith({ maxDurationSeconds: 86_400 }), request);
  return { kind, stored: ledger.readWrite('acme', 'w'), told: events.map(({ id }) => id), sent };
}

test('what a person found ends a write, after it was told that nobody knew', async () => {
  const done = await settled(UNCLEAR, { decision: 'done' });
  expect(done.stored).toMatchObject({ status: 'done', settledBy: 'person', closed: true });
  expect(done.told).toEqual(['acme/w/unclear/3', 'acme/w/done/4']);

  const dropped = await settled(UNCLEAR, { decision: 'drop' });
  expect(dropped.stored).toMatchObject({ status: 'refused', reason: { code: 'dropped' } });
  expect([done.sent, dropped.sent]).toEqual([[], []]);
});

test('what a person found counts though the bus takes nothing, and that nobody knew is told later', async () => {
  const settle = async (decision: 'done' | 'retry') => {
    const state = writeState({ ...UNCLEAR, updatedAtMs: 9, orderKey: 'o' });
    const next = writeState({ writeId: 'next', orderKey: 'o' });
    const { ports, ledger, events } = acceptWorld([state, next], ['w', 'next']);
    const refusing = { publish: () => Promise.reject(new Error('EventBridge is out of order')) };
    const asked = { connection: 'acme', writeId: 'w', attempt: 3, decision, by: 'ada' } as const;
    const answer = await settleWrite({ ...ports, events: refusing }, settingsWith(), asked);
    expect(answer).toMatchObject({ untold: { error: { message: 'EventBridge is out of order' } } });
    const { kind } = answer;
    const stored = ledger.readWrite('acme', 'w') ?? state;
    const line = ledger.readLine('acme', 'o')?.writeIds;
    await closeWrite(ports, { ...stored, status: 'done', unannounced: true });
    const told = events.map(({ id, atMs, reasonCode }) => [id, atMs, reasonCode]);
    return { kind, stored, line, told, left: ledger.readWrite('acme', 'w') };
  };

  const done = await settle('done');
  expect([done.kind, done.stored.status, done.line]).toEqual(['settled', 'done', ['next']]);
  expect(done.stored).toMatchObject({ unannounced: true, closed: false });
  const unclear = ['acme/w/unclear/3', 9, 'no-clear-answer'];
  expect(done.told).toEqual([unclear, ['acme/w/done/4', expect.any(Number), undefined]]);
  expect(done.left).not.toHaveProperty('untold');

  const retried = await settle('retry');
  expect(retried.stored).toMatchObject({ status: 'intended', unannounced: false });
  expect(retried.told[0]).toEqual(unclear);
});

test('a queue that does not wake the next one of the order is told to who decides, and the decision counts', async () => {
  const own = { ...UNCLEAR, unannounced: false, closed: true, orderKey: 'o' };
  const next = writeState({ writeId: 'next', orderKey: 'o' });
  const { world, ports, ledger, sent, events } = acceptWorld(
    [writeState(own), next],
    ['w', 'next'],
  );
  const name = { connection: 'acme', writeId: 'w', attempt: 3 };
  const settle = () => settleWrite(ports, settingsWith(), { ...name, decision: 'done', by: 'ada' });

  world.canSend = false;
  await expect(settle()).rejects.toThrow('SQS is out of order');
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ status: 'done', closed: false });
  expect(events.map(({ id }) => id)).toEqual(['acme/w/done/4']);

  world.canSend = true;
  expect(await settle()).toMatchObject({ kind: 'settled', state: { closed: true } });
  expect(sent.map(({ writeId }) => writeId)).toEqual(['next']);
});

test('a write that had no effect is sent again, without a doubt, a reason or a failure', async () => {
  const counters = { ...writeState().counters, failuresInRow: 7, unknownChecksInRow: 7 };
  const { stored, sent, told } = await settled({ ...UNCLEAR, counters, deadlineAtMs: 5e12 });

  expect(stored).toMatchObject({ status: 'intended', attempt: 4, closed: false });
  expect(stored).toMatchObject({ credential: 'former', deadlineAtMs: 100_000 + DAY_MS });
  expect(stored?.counters).toMatchObject({ failuresInRow: 0, unknownChecksInRow: 0 });
  for (const gone of ['doubt', 'reason']) expect(stored).not.toHaveProperty(gone);
  expect([sent.length, told]).toEqual([1, ['acme/w/unclear/3']]);
});

test('a decision is made again about a write that somebody else wrote meanwhile', async () => {
  const own = writeState({ ...UNCLEAR, unannounced: false, closed: true });
  const { ports, ledger } = acceptWorld([own]);
  const { writeWrite } = ports.ledger;
  let isFirst = true;
  const raced: typeof writeWrite = async (next, expected) => {
    if (isFirst) ledger.writeWrite({ ...own, writeToken: 'other', updatedAtMs: 7 }, expected);
    isFirst = false;
    return writeWrite(next, expected);
  };
  const racing = { ...ports, ledger: { ...ports.ledger, writeWrite: raced } };
  const asked = {
    connection: 'acme',
    writeId: 'w',
    attempt: 3,
    decision: 'done',
    by: 'ada',
  } as const;

  expect(await settleWrite(racing, settingsWith(), asked)).toMatchObject({ kind: 'settled' });
  expect(ledger.readWrite('acme', 'w')).toMatchObject({ status: 'done', closed: true });
});

test('of the decisions about a write the latest ones are kept, with what each was about', async () => {
  const before = { status: 'unclear', attempt: 1 } as const;
  const earlier = { atMs: 1, by: 'bob', decision: 'retry', before } as const;
  const own = { ...UNCLEAR, settlements: Array.from({ length: 16 }, () => earlier) };
  const { stored } = await settled(own, { decision: 'drop', note: 'Seen.' });

  const latest = { atMs: 100_000, by: 'ada', decision: 'drop', note: 'Seen.' } as const;
  const about = { status: 'unclear', attempt: 3, reason: CUT } as const;
  expect(stored?.settlements).toEqual([...own.settlements.slice(1), { ...latest, before: about }]);
});

test('a write of another organization that a person retries goes to that of the key of now', async () => {
  const reason = { code: 'organization-changed', message: 'Another.' } as const;

  expect((await settled({ ...UNCLEAR, reason })).stored).toMatchObject({ credential: 'v1/' });
  // Without a key it is bound to that of its next claim, and to the former one no more.
  const { stored } = await settled({ ...UNCLEAR, reason }, {}, false);
  expect(stored).not.toHaveProperty('credential');
});

test.each<[string, Partial<WriteState>]>([
  ['that is not unclear', { ...UNCLEAR, status: 'sent' }],
  ['that became unclear again', { ...UNCLEAR, attempt: 4 }],
])('nothing is decided about a write %s', async (_, own) => {
  const { kind, stored, sent } = await settled(own);

  expect([kind, sent]).toEqual(['not-unclear', []]);
  expect(stored).toEqual(writeState(own));
});

test.each([
  ['the same person', {}, 'settled'],
  ['another person', { by: 'bob' }, 'not-unclear'],
  ['another decision', { decision: 'drop' }, 'not-unclear'],
  ['another attempt', { attempt: 2 }, 'not-unclear'],
] as const)('a decision that comes again by %s is %s', async (_, asked, kind) => {
  const before = { status: 'unclear', attempt: 3 } as const;
  const settlements = [{ atMs: 1, by: 'ada', decision: 'retry', before }] as const;
  const own = { attempt: 4, wakeUpSent: true, settlements: [...settlements] };

  expect((await settled(own, asked)).kind).toBe(kind);
});
