import { expect, test } from '@jest/globals';
import type { EndRule } from '../../../lib/customers-api/walk-state.ts';
import { completenessOf } from '../../../lib/exports/completeness.ts';
import { stateOf } from './state-of.ts';

interface Seen {
  readonly pages?: number;
  readonly customers?: number;
  readonly firstTotal?: number;
  readonly lastTotal?: number;
  readonly contradictions?: readonly string[];
  readonly rules?: readonly EndRule[];
}

function verdictOf(seen: Seen) {
  const { pages = 2, customers = 15, firstTotal, lastTotal } = seen;
  const { counters, walk } = stateOf();
  return completenessOf(
    stateOf({
      counters: { ...counters, pages, customers },
      walk: { ...walk, ...(lastTotal === undefined ? {} : { lastTotal }) },
      end: { atMs: 0, rules: seen.rules ?? ['total'], contradictions: seen.contradictions ?? [] },
      ...(firstTotal === undefined ? {} : { firstTotal }),
    }),
  );
}

test.each([
  ['complete', 'all totals agree', { firstTotal: 15, lastTotal: 15 }],
  ['drifted', 'the total changed', { firstTotal: 14, lastTotal: 15 }],
  [
    'drifted',
    'the total changed and came back to other customers',
    { firstTotal: 16, lastTotal: 16 },
  ],
  ['drifted', 'the walk met a contradiction', { contradictions: ['page 3 is empty'] }],
  ['unproven', 'no total was told', { rules: ['empty-page'] }],
] satisfies readonly [string, string, Seen][])('says %s when %s', (verdict, _title, seen) => {
  expect(verdictOf(seen).verdict).toBe(verdict);
});

test('says of every list of several pages what counts cannot show', () => {
  const doubt = 'can be missing or twice even when all counts agree';
  expect(verdictOf({ firstTotal: 15, lastTotal: 15 }).reasons.join(' ')).toContain(doubt);
  const one = verdictOf({ pages: 1, firstTotal: 15, lastTotal: 15 });
  expect(one.reasons.join(' ')).not.toContain(doubt);
});

test('names the rules that ended the list', () => {
  const { reasons } = verdictOf({ rules: ['refused-past-end'] });
  expect(reasons[0]).toBe('Rules that ended the list: refused-past-end.');
});
