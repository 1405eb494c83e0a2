import { expect, test } from '@jest/globals';
import * as v from 'valibot';
import type { Refused, Throttled, Unclear } from '../../../lib/customers-api/outcome.ts';
import { afterAnswer } from '../../../lib/writes/after-answer.ts';
import { afterCheck } from '../../../lib/writes/after-check.ts';
import { stepOf } from '../../../lib/writes/decide-write.ts';
import { type WriteState, WriteStateSchema } from '../../../lib/writes/write-state.ts';
import { writeState } from '../../functions/aws/write-state.ts';
import { settingsWith } from './default-settings.ts';

const NOW_MS = 50_000;
const CONTEXT = { nowMs: NOW_MS, settings: settingsWith(), fraction: 0 };
const KNOWN = writeState();
const CLAIMED = writeState({
  status: 'sent',
  firstSentAtMs: 40_000,
  lease: { owner: 'worker', untilMs: 60_000 },
});
const DOUBT = { sinceMs: 30_000, reason: { code: 'no-clear-answer', message: 'Cut.' } } as const;
const { check: _check, ...unchecked } = CLAIMED.operation;

const next = (outcome: Parameters<typeof afterAnswer>[2], claimed: Partial<WriteState> = {}) =>
  afterAnswer(KNOWN, { ...CLAIMED, ...claimed }, outcome, CONTEXT);

const refused = (status: number): Refused => ({
  ...{ kind: 'refused', reason: 'client-error', status, message: `Status ${status}.` },
});
const unclear = (more: Partial<Unclear> = {}): Unclear => ({
  ...{ kind: 'unclear', reason: 'cut', sent: true, message: 'Cut.' },
  ...more,
});
const throttled = (waitSource: Throttled['waitSource']): Throttled => ({
  ...{ kind: 'throttled', status: 429, retryAfterSeconds: 7, waitSource },
});

test.each([
  ['is kept up to 32 KiB', 'é'.repeat(16_383), true],
  ['is not kept beyond that, counted in bytes', 'é'.repeat(16_384), false],
])('the text of an answer %s', (_, text, isKept) => {
  const bodyText = JSON.stringify(text);
  const state = next({ kind: 'done', status: 201, bodyText });

  expect(state).toMatchObject({ status: 'done', settledBy: 'answer', counters: { requests: 1 } });
  expect(state.answer?.bodyText).toBe(isKept ? bodyText : undefined);
});

test('a throttle waits as long as the API states, and counts as a failure only where it states nothing', () => {
  const counters = { ...CLAIMED.counters, failuresInRow: 3 };

  expect(next(throttled('retry-after'), { counters })).toMatchObject({
    ...{ status: 'intended', notBeforeMs: NOW_MS + 7_000, attempt: 1 },
    counters: { requests: 1, throttles: 1, failuresInRow: 0 },
  });
  expect(next(throttled('backoff'), { counters }).counters.failuresInRow).toBe(4);
});

test('an answer that is not clear is asked about after the wait that came with it', () => {
  const state = next(unclear({ retryAfterSeconds: 60 }));

  expect(state).toMatchObject({ status: 'sent', notBeforeMs: NOW_MS + 60_000 });
  expect(state.doubt).toMatchObject({ sinceMs: NOW_MS, reason: { code: 'no-clear-answer' } });
});

test('an answer that is not clear and names no wait is asked about when an effect shows', () => {
  const { idempotencyKey: _key, ...keyless } = CLAIMED;
  const state = afterAnswer(KNOWN, keyless, unclear(), CONTEXT);

  expect(state).toMatchObject({ status: 'sent', notBeforeMs: NOW_MS + 3_000 });
});

test('a write whose key is over before it may be repeated is checked, or left to a person at once', () => {
  const retryAfterSeconds = CONTEXT.settings.idempotencyKeySeconds;
  const keyed = { idempotencyKey: 'key', operation: unchecked };

  expect(next(unclear(), keyed)).toMatchObject({ status: 'sent', attempt: 1 });
  expect(next(unclear({ retryAfterSeconds }), keyed)).toMatchObject({ status: 'unclear' });
});

test('what is in doubt again and again is looked at every 15 minutes at the least', () => {
  const failing = { counters: { ...CLAIMED.counters, failuresInRow: 40 } };
  const state = afterAnswer(KNOWN, { ...CLAIMED, ...failing }, unclear(), {
    ...CONTEXT,
    fraction: 1,
  });

  expect(state.notBeforeMs).toBe(NOW_MS + 900_000);
});

test('a write that another key was met for is decided about anew, as if it had not been claimed', () => {
  const state = next({ kind: 'key-changed' });

  expect(state).toMatchObject({ status: 'intended', attempt: 1, counters: { requests: 0 } });
  expect(state).not.toHaveProperty('doubt');
  expect(state).not.toHaveProperty('reason');
});

test('an absurd wait that came with an answer which is not clear leaves a write that can be read', () => {
  const state = next(unclear({ retryAfterSeconds: Number.MAX_SAFE_INTEGER }));

  expect(v.is(WriteStateSchema, state)).toBe(true);
});

test('a record that reports an error is no answer that a repeat would change: it is checked, or left to a person', () => {
  const outcome = unclear({ reason: 'error-body', status: 201 });
  const keyed = { idempotencyKey: 'key' };

  const checked = next(outcome, keyed);
  expect(stepOf(checked, { nowMs: NOW_MS, credential: undefined }, CONTEXT.settings)).toMatchObject(
    { kind: 'check' },
  );
  expect(checked.doubt).toMatchObject({ refusal: { code: 'no-clear-answer', status: 201 } });
  const left = next(outcome, { ...keyed, operation: unchecked });
  expect(left).toMatchObject({ status: 'unclear', reason: { status: 201 } });
});

test('nothing is in doubt where no request left', () => {
  const state = next(unclear({ sent: false, reason: 'unreachable' }));

  expect(state).toMatchObject({ status: 'intended', counters: { requests: 0 } });
  expect(state).not.toHaveProperty('doubt');
});

test('a first request that is refused ends the write', () => {
  expect(next(refused(422))).toMatchObject({ status: 'refused', reason: { status: 422 } });
});

test('a repeat that comes while the first request is worked on (409) is sent again, with its key', () => {
  const state = next(refused(409), { doubt: DOUBT });

  expect(state).toMatchObject({ status: 'sent', attempt: 1, counters: { failuresInRow: 1 } });
  expect(state.doubt).not.toHaveProperty('refusal');
  expect(state.notBeforeMs).toBeGreaterThan(NOW_MS);
});

test('the refusal of a repeat shows nothing of the first request: it is checked, or left to a person', () => {
  const checked = next(refused(422), { doubt: DOUBT });
  expect(checked).toMatchObject({ status: 'sent', notBeforeMs: NOW_MS + 3_000 });
  expect(checked.doubt).toMatchObject({
    ...{ sinceMs: NOW_MS, refusal: { code: 'refused', status: 422 } },
  });

  const left = next(refused(422), { doubt: DOUBT, operation: unchecked });
  expect(left).toMatchObject({ status: 'unclear', reason: { code: 'repeat-refused' } });
});

const KEY_FOUND = { kind: 'refused', reason: 'key-in-request', message: 'Held.' } as const;

test('of a write that holds the key, which came later, nothing of its request is kept', () => {
  const held = { params: { id: 'KEY' }, resource: 'customers/KEY', bodyText: '{"a":"KEY"}' };
  const known = { ...KNOWN, ...held };
  const state = afterAnswer(known, { ...CLAIMED, ...held }, KEY_FOUND, CONTEXT);

  expect(state).toMatchObject({
    status: 'refused',
    reason: { code: 'key-in-request', message: expect.stringContaining('taken out of the ledger') },
    counters: { requests: 0 },
  });
  expect(JSON.stringify(state)).not.toContain('KEY');
});

test('a write that holds a key which came after a request in doubt is left to a person', () => {
  const doubted = { doubt: DOUBT };
  const known = { ...KNOWN, ...doubted };
  const state = afterAnswer(known, { ...CLAIMED, ...doubted }, KEY_FOUND, CONTEXT);

  expect(state).toMatchObject({
    status: 'unclear',
    reason: { code: 'key-in-request' },
    ...doubted,
  });
});

test('a rejected key says nothing of a request before, and that of a check neither', () => {
  const rejected = { kind: 'authentication-failure', status: 401 } as const;
  const told = (state: WriteState) => state.reason?.message;
  const inDoubt = { ...CLAIMED, doubt: DOUBT };
  const check = { kind: 'authentication-failure', outcome: rejected } as const;

  expect(next(rejected).counters.requests).toBe(1);
  expect(told(next(rejected))).toMatch(/ The write had no effect; it then goes on\.$/);
  for (const state of [
    next(rejected, { doubt: DOUBT }),
    afterCheck(inDoubt, check, CONTEXT).next,
  ]) {
    expect(state).toMatchObject({ status: 'sent', halted: { sinceMs: NOW_MS }, doubt: DOUBT });
    expect(told(state)).toMatch(/ An earlier request .* may have taken effect; it then goes on\.$/);
  }
});

test('a write without an organization, for which a key came meanwhile, is tried again to be bound to it', () => {
  const changed = { kind: 'organization-changed', message: 'Another.' } as const;
  const bound = { ...KNOWN, credential: 'former' };

  expect(next(changed)).toMatchObject({ status: 'intended', notBeforeMs: NOW_MS, attempt: 1 });
  expect(afterAnswer(bound, CLAIMED, changed, CONTEXT)).toMatchObject({
    ...{ status: 'unclear', reason: { code: 'organization-changed' } },
  });
});

test('a certificate that is not trusted says nothing of a request before', () => {
  const outcome = { kind: 'refused', reason: 'certificate', message: 'Not trusted.' } as const;

  expect(next(outcome, { doubt: DOUBT })).toMatchObject({ status: 'sent', doubt: DOUBT });
});
