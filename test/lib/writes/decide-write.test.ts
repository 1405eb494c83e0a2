import { expect, test } from '@jest/globals';
import { stepOf } from '../../../lib/writes/decide-write.ts';
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
  expect(stepOf(writeState(state), atMs, settings)).toEqual(expected);
});
