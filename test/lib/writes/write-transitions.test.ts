import { expect, test } from '@jest/globals';
import {
  cleared,
  doubted,
  finish,
  halt,
  nextTry,
  park,
  refuse,
  resume,
  withoutDetails,
} from '../../../lib/writes/write-transitions.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { settingsWith } from './default-settings.ts';

const NOW_MS = 50_000;
const settings = settingsWith({ historyDays: 1 });
const REASON = { code: 'no-clear-answer', message: 'Cut.' } as const;
const REFUSAL = { code: 'refused', message: 'Taken.', status: 422, requestId: 'r' } as const;
const DOUBT = { sinceMs: 40_000, reason: REASON };
const lease = { owner: 'worker', untilMs: 60_000 };
const claimed = writeState({ status: 'sent', doubt: DOUBT, lease, closed: true, reason: REASON });

test('the next try has no lease and a message of its own, and stays in doubt', () => {
  const next = nextTry(claimed, NOW_MS + 5, NOW_MS);

  expect(next).toMatchObject({
    ...{ status: 'sent', attempt: 1, notBeforeMs: NOW_MS + 5, wakeUpSent: false, doubt: DOUBT },
  });
  expect(next).not.toHaveProperty('lease');
  expect(nextTry(cleared(claimed), NOW_MS, NOW_MS).status).toBe('intended');
});

test.each([
  ['done', finish(claimed, { settledBy: 'check' }, NOW_MS, settings)],
  ['refused', refuse(claimed, REFUSAL, NOW_MS, settings)],
])(
  'a write that is over, %s, is told once more, and keeps neither body nor doubt',
  (status, state) => {
    expect(state).toMatchObject({ status, attempt: 1, unannounced: true, closed: false });
    expect(state.deleteAfterMs).toBe(NOW_MS + 24 * 3_600_000);
    for (const gone of ['lease', 'doubt', 'bodyText']) expect(state).not.toHaveProperty(gone);
  },
);

test('a write that took effect has no reason, and one that was refused the answer that says so', () => {
  const done = finish(claimed, { settledBy: 'answer', answer: { status: 201 } }, NOW_MS, settings);

  expect(done).not.toHaveProperty('reason');
  expect(done).toMatchObject({ settledBy: 'answer', answer: { status: 201 } });
  expect(refuse(claimed, REFUSAL, NOW_MS, settings)).toMatchObject({
    ...{ reason: REFUSAL, answer: { status: 422, requestId: 'r' } },
  });
});

test('a write that is left to a person is told, and keeps all that a repeat would need', () => {
  const parked = park(claimed, REASON, NOW_MS);

  expect(parked).toMatchObject({ status: 'unclear', attempt: 1, unannounced: true, closed: false });
  expect(parked).toMatchObject({ doubt: DOUBT, bodyText: claimed.bodyText });
  expect(parked).not.toHaveProperty('deleteAfterMs');
});

test('a write that waits for a key needs no message until it goes on, and then has no reason', () => {
  const halted = halt(claimed, REASON, NOW_MS);
  expect(halted).toMatchObject({ halted: { sinceMs: NOW_MS }, wakeUpSent: true, reason: REASON });

  const resumed = resume(halted, NOW_MS + 9);
  expect(resumed).toMatchObject({ status: 'sent', attempt: 2, wakeUpSent: false, doubt: DOUBT });
  expect(resumed).not.toHaveProperty('halted');
  expect(resumed).not.toHaveProperty('reason');
});

test('a doubt that is renewed keeps the refusal that made a repeat useless', () => {
  const refused = writeState({ doubt: { ...DOUBT, refusal: REFUSAL } });

  expect(doubted(refused, NOW_MS, REASON).doubt).toEqual({
    ...{ sinceMs: NOW_MS, reason: REASON, refusal: REFUSAL },
  });
});

test('what the ledger does not take is left out, and the latest decision of a person stays', () => {
  const before = { status: 'unclear', attempt: 0 } as const;
  const settlement = { atMs: 1, by: 'ada', decision: 'retry', before } as const;
  const answer = { status: 201, requestId: 'r', bodyText: 'long' };
  const settlements = [settlement, { ...settlement, atMs: 2 }];
  const state = withoutDetails({ ...claimed, answer, settlements }, 'Too large.');

  expect(state.answer).toEqual({ status: 201, requestId: 'r' });
  expect(state.reason).toEqual({ code: 'no-clear-answer', message: 'Too large.' });
  expect(state.settlements).toEqual([{ ...settlement, atMs: 2 }]);
});
