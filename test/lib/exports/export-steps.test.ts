import { expect, test } from '@jest/globals';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { sweepAtMs } from '../../../lib/exports/export-steps.ts';
import { STALL_GRACE_MS } from '../../../lib/steps/sweep.ts';
import { END, HALTED, START_MS, stateOf } from './state-of.ts';

/** So long the worker that ended it has time to tell it. */
const TOLD_BY_MS = START_MS + STALL_GRACE_MS;

test.each<[string, Partial<ExportState>, number | undefined]>([
  ['of an end that is not told', { status: 'completed', unannounced: ['completed'] }, TOLD_BY_MS],
  ['of one cancelled in line', { status: 'cancelled', unannounced: ['cancelled'] }, TOLD_BY_MS],
  ['of nothing where all is told', { status: 'failed' }, undefined],
  ['that one goes on that has left its line', { end: END, leavesLine: true }, TOLD_BY_MS],
  [
    'at once where its steps break off',
    { end: END, leavesLine: true, inRow: { ...stateOf().inRow, brokenSteps: 3 } },
    START_MS,
  ],
  [
    'of an end that is not told, whatever its steps did',
    { status: 'failed', unannounced: ['failed'], inRow: { ...stateOf().inRow, brokenSteps: 9 } },
    TOLD_BY_MS,
  ],
  ['of nothing where the line holds it', { end: END }, undefined],
  ['of no halt, which the line holds', { status: 'halted', unannounced: [HALTED] }, undefined],
])('the sweep tells %s', (_title, own, atMs) => {
  expect(sweepAtMs(stateOf(own))).toBe(atMs);
});
