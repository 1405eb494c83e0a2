import { expect, test } from '@jest/globals';
import type { Throttled } from '../../../lib/customers-api/outcome.ts';
import { blockedUntilMs } from '../../../lib/gate/blocked-until.ts';
import { afterCheck } from '../../../lib/writes/after-check.ts';
import type { CheckResult } from '../../../lib/writes/run-check.ts';
import type { Doubt } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { settingsWith } from './default-settings.ts';

const NOW_MS = 50_000;
const CONTEXT = { nowMs: NOW_MS, settings: settingsWith({ maxUnknownChecks: 2 }), fraction: 0 };
const CUT = { code: 'no-clear-answer', message: 'Cut.' } as const;
const REFUSAL = { code: 'refused', message: 'Taken.', status: 422 } as const;

/** What follows from a check of a write in doubt. */
function after(result: CheckResult, doubt: Partial<Doubt> = {}, unknownChecksInRow = 0) {
  const before = writeState();
  const claimed = writeState({
    status: 'sent',
    doubt: { sinceMs: 40_000, reason: CUT, ...doubt },
    counters: { ...before.counters, unknownChecksInRow },
  });
  return afterCheck(claimed, result, CONTEXT);
}

test('a write that took effect is done, by the check', () => {
  const found = after({ kind: 'took-effect' });

  expect(found).toMatchObject({ kind: 'stop', next: { status: 'done', settledBy: 'check' } });
});

test('a write that did nothing is sent, without doubt; one whose repeat was refused is refused', () => {
  const sent = after({ kind: 'did-nothing' });
  expect(sent).toMatchObject({ kind: 'send', next: { counters: { checks: 1 } } });
  expect(sent.next).not.toHaveProperty('doubt');

  const refused = after({ kind: 'did-nothing' }, { refusal: REFUSAL });
  expect(refused).toMatchObject({ kind: 'stop', next: { status: 'refused', reason: REFUSAL } });
});

test('a check without a result is repeated, as often as is set, and then a person decides', () => {
  const unknown = { kind: 'unknown', message: 'The list changed.' } as const;

  expect(after(unknown).next).toMatchObject({
    ...{ status: 'sent', counters: { unknownChecksInRow: 1 }, doubt: { reason: CUT } },
  });
  const { next } = after(unknown, {}, 1);
  expect(next).toMatchObject({ status: 'unclear', reason: { code: 'no-clear-answer' } });
  expect(next.reason?.message).toMatch(/^Cut\. 2 checks in a row .* The list changed\.$/);
});

test('what a person gets of a refused repeat that no check clears up is the refusal', () => {
  const { next } = after({ kind: 'unknown', message: 'It moved.' }, { refusal: REFUSAL }, 1);

  expect(next).toMatchObject({ status: 'unclear', reason: { code: 'refused', status: 422 } });
  expect(next.reason?.message).toMatch(/^Taken\. /);
});

test('a check that was not sent is none', () => {
  const notSent = { kind: 'blocked', untilMs: NOW_MS + 1_000, retryAfterSeconds: 1 } as const;

  expect(after({ kind: 'not-sent', notSent }, {}, 1).next).toMatchObject({
    ...{ status: 'sent', counters: { checks: 0, unknownChecksInRow: 1 } },
  });
});

test('a check with a result ends the row of those without one', () => {
  expect(after({ kind: 'did-nothing' }, {}, 1).next.counters.unknownChecksInRow).toBe(0);
});

test('a throttled check waits as the API asks', () => {
  const outcome: Throttled = {
    ...{ kind: 'throttled', status: 429, retryAfterSeconds: 9, waitSource: 'retry-after' },
  };

  expect(after({ kind: 'throttled', outcome }, {}, 1).next).toMatchObject({
    ...{ status: 'sent', notBeforeMs: NOW_MS + 9_000, counters: { unknownChecksInRow: 1 } },
  });
});

test('a throttled check without a wait backs off by the failures in a row, and counts as one', () => {
  const outcome: Throttled = {
    ...{ kind: 'throttled', status: 429, retryAfterSeconds: 1, waitSource: 'backoff' },
  };
  const before = writeState();
  const counters = { ...before.counters, throttles: 40, failuresInRow: 2 };
  const doubt = { sinceMs: 40_000, reason: CUT };
  const found = (failuresInRow: number) =>
    afterCheck(
      writeState({ status: 'sent', doubt, counters: { ...counters, failuresInRow } }),
      { kind: 'throttled', outcome },
      { ...CONTEXT, fraction: 0.9 },
    ).next;

  expect(found(2).counters).toEqual({ ...counters, checks: 1, throttles: 41, failuresInRow: 3 });
  const waitMs = [0, 1].map((inRow) => Number(found(inRow).notBeforeMs) - NOW_MS);
  expect(waitMs).toEqual(
    [0, 1].map((inRow) => blockedUntilMs(outcome, inRow, 0.9, NOW_MS) - NOW_MS),
  );
  expect(waitMs[0]).toBeLessThan(waitMs[1] ?? 0);
});
