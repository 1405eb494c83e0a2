import { expect, test } from '@jest/globals';
import { whyLeft } from '../../../lib/exports/why-left.ts';
import { END, PROOF, stateOf } from './state-of.ts';

interface Read {
  /** Rows of the last pass, and of the list as it was read before. */
  readonly lastPass: number;
  readonly before?: number;
  /** Rows that were stored, those of them with the id of an earlier one, and of these with other text. */
  readonly stored: number;
  readonly repeated: number;
  readonly conflicts: number;
  readonly by?: 'one-answer';
}

function leftOf({ lastPass, before = 0, stored, repeated, conflicts, by }: Read) {
  const state = stateOf();
  if (state.walk.kind === 'fast') throw new Error('a verified walk is the default');
  const list = { ...state.walk.list, records: lastPass };
  const end = { ...END, proof: { ...PROOF, ...(by && { by }) } };
  const ended = { end, walk: { ...state.walk, covered: before, list } };
  return whyLeft(ended, stored, { ids: repeated, conflicts });
}

test.each<[string, Read, string | undefined]>([
  [
    'every record of two passes has another text in each',
    { lastPass: 100, before: 100, stored: 200, repeated: 100, conflicts: 100 },
    undefined,
  ],
  [
    'edits moved a third of the records within the first pass, and all came in the second one',
    { lastPass: 100, before: 100, stored: 200, repeated: 100, conflicts: 33 },
    undefined,
  ],
  [
    'the list has become shorter before the second pass',
    { lastPass: 80, before: 100, stored: 180, repeated: 80, conflicts: 80 },
    undefined,
  ],
  [
    'each id is that of two records, in one pass',
    { lastPass: 100, stored: 100, repeated: 50, conflicts: 50 },
    'conflicts',
  ],
  [
    'each id is that of two records, in two passes',
    { lastPass: 100, before: 100, stored: 200, repeated: 150, conflicts: 150 },
    'conflicts',
  ],
  [
    'each id is that of two records, and the second pass did not come to its end',
    { lastPass: 30, before: 100, stored: 130, repeated: 80, conflicts: 80 },
    'conflicts',
  ],
  [
    'of a sixth of the records two have one id, in two passes',
    { lastPass: 400, before: 400, stored: 800, repeated: 432, conflicts: 96 },
    'conflicts',
  ],
  [
    'a server gives each record on two pages',
    { lastPass: 100, stored: 100, repeated: 50, conflicts: 0 },
    undefined,
  ],
  [
    'a tenth of the records has the id of another one',
    { lastPass: 100, stored: 100, repeated: 10, conflicts: 10 },
    undefined,
  ],
  [
    'one more than a tenth has it',
    { lastPass: 100, stored: 100, repeated: 11, conflicts: 11 },
    'conflicts',
  ],
  [
    'one answer has all',
    { lastPass: 100, stored: 100, repeated: 50, conflicts: 50, by: 'one-answer' },
    'one-answer',
  ],
  [
    'too many came again',
    { lastPass: 100, stored: 100, repeated: 2_000_001, conflicts: 0 },
    'too-many',
  ],
])('where %s, what came twice is left as told', (_, read, left) => {
  expect(leftOf(read)).toBe(left);
});
