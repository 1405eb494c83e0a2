import { expect, test } from '@jest/globals';
import { claimWrite, decideWrite, settleMs, stepOf } from '../../../lib/writes/decide-write.ts';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { settingsWith } from './default-settings.ts';

/** The API keeps a key for a minute after the first request at 1,000 ms; a request may take 20 s. */
const settings = settingsWith({ requestTimeoutMs: 20_000, idempotencyKeySeconds: 60 });
const LAST_MS = 1_000 + 60_000 - 20_000;
const CUT = { code: 'no-clear-answer', message: 'Cut.' } as const;
const IN_DOUBT = { firstSentAtMs: 1_000, doubt: { sinceMs: 1_000, reason: CUT } };
const HOUR_MS = 3_600_000;
/** By a clock that was so far ahead. */
const ahead = (byMs: number) => ({ ...IN_DOUBT, firstSentAtMs: 1_000 + byMs });
const REFUSED = { ...IN_DOUBT.doubt, refusal: { code: 'refused', message: 'Taken.' } } as const;
const { check, ...unchecked } = writeState().operation;
const { idempotencyKey } = writeState();

const CHECK = { kind: 'check', check };
const READ_CHECK = { kind: 'read', resource: 'customers/7' } as const;
const WITH_KEY = { kind: 'send', idempotencyKey };

test.each<[string, Partial<WriteState>, number, object | undefined]>([
  ['that was never sent is sent with its key', {}, LAST_MS, WITH_KEY],
  ['in doubt is sent while its key is kept until the answer', IN_DOUBT, LAST_MS, WITH_KEY],
  ['in doubt is checked when the key may end before that', IN_DOUBT, LAST_MS + 1, CHECK],
  ['in doubt is sent while its key may be an hour ahead', ahead(HOUR_MS), 1_000, WITH_KEY],
  ['in doubt is checked when nobody knows how old its key is', ahead(HOUR_MS + 1), 1_000, CHECK],
  ['whose repeat was refused is checked', { ...IN_DOUBT, doubt: REFUSED }, LAST_MS, CHECK],
  [
    'in doubt without key and check is left to a person',
    { ...IN_DOUBT, operation: unchecked },
    LAST_MS + 1,
    undefined,
  ],
  [
    'that did nothing is sent without a key that has ended',
    { firstSentAtMs: 1_000 },
    LAST_MS + 1,
    { kind: 'send' },
  ],
])('a write %s', (_, state, atMs, expected) => {
  expect(stepOf(writeState(state), { nowMs: atMs, credential: undefined }, settings)).toEqual(
    expected,
  );
});

test.each<[string, Partial<WriteState>, string, object]>([
  ['sent again with the credential that sent it', { sentAs: 'v1' }, 'v1', WITH_KEY],
  ['checked under another one', { sentAs: 'v1' }, 'v2', CHECK],
  ['checked under that of its acceptance, if another one sent it', { sentAs: 'v2' }, 'v0', CHECK],
  ['sent again under that of its acceptance, if none is noted', {}, 'v0', WITH_KEY],
  ['checked under another than that of its acceptance, if none is noted', {}, 'v1', CHECK],
])('a write in doubt that has a key is %s', (_, own, credential, expected) => {
  const state = writeState({ ...IN_DOUBT, credential: 'v0', ...own });

  expect(stepOf(state, { nowMs: 1_000, credential }, settings)).toMatchObject(expected);
});

test('a write in doubt that has no key is checked, not sent again', () => {
  const { idempotencyKey: _key, ...keyless } = writeState(IN_DOUBT);

  expect(stepOf(keyless, { nowMs: 1_000, credential: undefined }, settings)).toEqual(CHECK);
});

const NOW_MS = 50_000;
const OPEN_GATE = { blockedUntilMs: 0 };
const decide = (
  state: Partial<WriteState>,
  gate: Parameters<typeof decideWrite>[1] = OPEN_GATE,
  nowMs = NOW_MS,
) =>
  decideWrite(
    { kind: 'open', state: writeState(state) },
    gate,
    { nowMs, credential: undefined },
    settings,
  );

test('a write is ready from its own time and the end of the wait on, and early before', () => {
  const ready = { kind: 'ready', step: WITH_KEY };

  expect(decide({ notBeforeMs: NOW_MS })).toMatchObject(ready);
  expect(decide({}, { blockedUntilMs: NOW_MS })).toMatchObject(ready);
  for (const early of [
    decide({ notBeforeMs: NOW_MS + 1 }),
    decide({}, { blockedUntilMs: NOW_MS + 1 }),
  ]) {
    expect(early).toMatchObject({ kind: 'early', notBeforeMs: NOW_MS + 1 });
  }
});

test('a wait that the gate did not take holds its write, unless a person opened the gate since then', () => {
  const untoldWait = { sinceMs: 2_000, untilMs: NOW_MS + 7 };
  const openedAt = (atMs: number) => ({
    ...OPEN_GATE,
    opening: { id: 'o', atMs, by: 'ada', reason: 'Absurd.', untilMs: NOW_MS },
  });

  expect(decide({ untoldWait })).toMatchObject({ kind: 'early', notBeforeMs: NOW_MS + 7 });
  expect(decide({ untoldWait }, openedAt(1_999))).toMatchObject({ kind: 'early' });
  expect(decide({ untoldWait }, openedAt(2_000))).toMatchObject({ kind: 'ready' });
});

test('a check comes no earlier than an effect shows, 10 s after the request where nothing is set', () => {
  const doubt = { ...REFUSED, sinceMs: NOW_MS };

  expect(decide({ doubt })).toMatchObject({ kind: 'early', notBeforeMs: NOW_MS + 3_000 });
  expect(decide({ doubt }, OPEN_GATE, NOW_MS + 3_000)).toMatchObject({ step: CHECK });
  expect(settleMs(READ_CHECK)).toBe(10_000);
});

test('a write whose worker is gone may have been sent until its lease ended', () => {
  const lease = { owner: 'gone', untilMs: NOW_MS - 1 };
  const { idempotencyKey: _key, ...keyless } = writeState({ lease, notBeforeMs: 0 });
  const doubt = { sinceMs: NOW_MS - 1, reason: { code: 'worker-lost' } };

  const sending = { nowMs: NOW_MS, credential: undefined };
  expect(decideWrite({ kind: 'open', state: keyless }, OPEN_GATE, sending, settings)).toEqual({
    ...{ kind: 'early', state: keyless, notBeforeMs: NOW_MS - 1 + 3_000 },
  });
  expect(decide({ lease })).toMatchObject({ kind: 'ready', step: WITH_KEY, known: { doubt } });
});

test('at its deadline a write ends: refused, or with a request in doubt left to a person', () => {
  const deadlineAtMs = NOW_MS;

  expect(decide({ deadlineAtMs }, OPEN_GATE, NOW_MS - 1)).toMatchObject({ kind: 'ready' });
  expect(decide({ deadlineAtMs })).toMatchObject({
    ...{ kind: 'end', next: { status: 'refused', reason: { code: 'deadline' } } },
  });
  expect(decide({ deadlineAtMs, ...IN_DOUBT })).toMatchObject({
    ...{ kind: 'end', next: { status: 'unclear', reason: CUT } },
  });
  expect(decide({ deadlineAtMs: NOW_MS + 5 }, { blockedUntilMs: NOW_MS + 9 })).toMatchObject({
    ...{ kind: 'early', notBeforeMs: NOW_MS + 5 },
  });
});

test('a claim to send notes when the key was sent first and with which credential, and one to check sends nothing', () => {
  const lease = { owner: 'worker', untilMs: NOW_MS + 1 };
  const send = { kind: 'send', sentAs: 'v1' } as const;
  const claimed = claimWrite(writeState(), send, lease, NOW_MS);

  expect(claimed).toMatchObject({ status: 'sent', firstSentAtMs: NOW_MS, sentAs: 'v1', lease });
  expect(claimWrite(claimed, { kind: 'send' }, lease, NOW_MS + 9).firstSentAtMs).toBe(NOW_MS);
  const checked = claimWrite(writeState(), { kind: 'check', check: READ_CHECK }, lease, NOW_MS);
  expect(checked).toMatchObject({ status: 'intended', lease });
  expect(checked).not.toHaveProperty('firstSentAtMs');
});
