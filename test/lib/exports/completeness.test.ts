import { expect, test } from '@jest/globals';
import type { EndRule } from '../../../lib/customers-api/walk-state.ts';
import { completenessOf } from '../../../lib/exports/completeness.ts';
import type { RecordIds } from '../../../lib/exports/record-ids.ts';
import { OWN_IDS, stateOf } from './state-of.ts';

interface Seen {
  readonly pages?: number;
  readonly customers?: number;
  readonly firstTotal?: number;
  readonly lastTotal?: number;
  readonly contradictions?: readonly string[];
  readonly rules?: readonly EndRule[];
  readonly ids?: Partial<RecordIds>;
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
    { ...OWN_IDS, ...seen.ids },
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
  ['drifted', 'an id came twice', { firstTotal: 15, lastTotal: 15, ids: { repeated: 2 } }],
  ['drifted', 'an id came twice and no total was told', { ids: { repeated: 2 } }],
  [
    'complete',
    'customers without an id are all different',
    { firstTotal: 15, lastTotal: 15, ids: { missing: 15 } },
  ],
  [
    'unproven',
    'customers without an id are equal',
    { firstTotal: 15, lastTotal: 15, ids: { missing: 15, equal: 1 } },
  ],
  [
    'unproven',
    'idKey was changed meanwhile',
    { firstTotal: 15, lastTotal: 15, ids: { keys: ['id', 'uuid'] } },
  ],
] satisfies readonly [string, string, Seen][])('says %s when %s', (verdict, _title, seen) => {
  expect(verdictOf(seen).verdict).toBe(verdict);
});

test('says of every list of several pages what counts cannot show', () => {
  const doubt = 'even when all counts agree';
  const agreed = { firstTotal: 15, lastTotal: 15 };
  expect(verdictOf(agreed).reasons.join(' ')).toContain(`can be missing ${doubt}`);
  const withoutIds = verdictOf({ ...agreed, ids: { missing: 15 } }).reasons.join(' ');
  expect(withoutIds).toContain(`can be missing or twice ${doubt}`);
  const one = verdictOf({ pages: 1, firstTotal: 15, lastTotal: 15 });
  expect(one.reasons.join(' ')).not.toContain(doubt);
});

test('says how many customers came twice, and how many have no id under which name', () => {
  const counts = { keys: ['uuid'], missing: 4, repeated: 3, equal: 1 };
  const { reasons } = verdictOf({ ids: counts });
  expect(reasons[0]).toMatch(/^3 customers came with an id \(uuid\) that had come before/);
  expect(reasons.join(' ')).toMatch(
    /4 of the 15 customers have no id \(uuid\).*1 of them are equal/,
  );
});

test('names the rules that ended the list', () => {
  const { reasons } = verdictOf({ rules: ['refused-past-end'] });
  expect(reasons[0]).toBe('Rules that ended the list: refused-past-end.');
});
