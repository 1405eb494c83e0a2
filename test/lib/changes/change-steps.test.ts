import { expect, test } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { sweepAtMs } from '../../../lib/changes/change-steps.ts';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { changeStateOf } from './change-state-of.ts';

const AT = { updatedAtMs: 100, notBeforeMs: 50 } as const;
const published = { status: 'published', closed: true } as const;
const publishing = { status: 'publishing', closed: true } as const;

test.each<[string, Partial<ChangeState>, number | undefined]>([
  ['nothing of what is told', published, undefined],
  ['what is not closed', { ...published, closed: false }, 100],
  ['what is being told', publishing, 100],
  ['the end of a wait', { ...publishing, notBeforeMs: 300 }, 300],
  ['the end of a lease', { ...publishing, lease: { owner: 'w', untilMs: 400 } }, 400],
])('the sweep looks after %s', (_, own, at) => {
  const dueAtMs = sweepAtMs(changeStateOf({ ...AT, ...own }));
  expect(dueAtMs).toBe(at === undefined ? undefined : at + STALL_GRACE_MS);
});
