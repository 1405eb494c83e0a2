import { expect, test } from '@jest/globals';
import { NO_COUNTS, type WalkProof } from '../../../lib/customers-api/walks/taken.ts';
import { defined } from '../../../lib/defined.ts';
import { completenessOf } from '../../../lib/exports/completeness.ts';
import type { RecordIds } from '../../../lib/exports/manifest.ts';
import { END, OWN_IDS, PROOF, stateOf } from './state-of.ts';

interface Seen {
  readonly pages?: number;
  readonly customers?: number;
  readonly firstTotal?: number;
  readonly keyVersions?: readonly string[];
  readonly contradictions?: readonly string[];
  readonly ids?: Partial<RecordIds>;
  readonly proof?: Partial<WalkProof>;
}

const FAST: WalkProof = {
  ...{ kind: 'fast', order: 'unknown', open: ['Set walk to verified.'] },
  ...{ repeats: { kind: 'moved' }, counts: NO_COUNTS },
};

function verdictOf(seen: Seen) {
  const { pages = 2, customers = 15, firstTotal, contradictions = [], proof, keyVersions } = seen;
  const { walk, ...state } = stateOf(defined({ firstTotal, keyVersions }));
  return completenessOf(
    {
      ...state,
      walk: { ...walk, list: { ...walk.list, records: customers } },
      counters: { ...state.counters, pages, customers },
      end: { ...END, contradictions, proof: { ...PROOF, ...proof } },
    },
    { ...OWN_IDS, ...seen.ids },
  );
}

test.each([
  ['complete', 'pages share customers from the first to the last', {}],
  [
    'complete',
    'the list changed, but the walk shows all',
    { firstTotal: 14, proof: { lastTotal: 15 } },
  ],
  ['complete', 'customers came twice where none can move', { ids: { repeated: 2, leftOut: 2 } }],
  ['complete', 'one answer held the whole list', { pages: 1, proof: { by: 'one-answer' } }],
  [
    'complete',
    'one answer held the whole list, and its ids are no ids',
    { pages: 1, proof: { by: 'one-answer' }, ids: { repeated: 5 } },
  ],
  ['unproven', 'customers of several pages have no id', { ids: { missing: 1 } }],
  [
    'complete',
    'one answer held the whole list, and customers have no id',
    { pages: 1, proof: { by: 'one-answer' }, ids: { missing: 1 } },
  ],
  ['unproven', 'pages were read one after the other', { proof: FAST }],
  [
    'unproven',
    'all counts agree and nothing else',
    { firstTotal: 15, proof: { ...FAST, lastTotal: 15 } },
  ],
  ['drifted', 'the total changed', { firstTotal: 14, proof: { ...FAST, lastTotal: 15 } }],
  [
    'drifted',
    'other customers came than the total',
    { customers: 14, proof: { ...FAST, lastTotal: 15 } },
  ],
  ['drifted', 'an id came twice in one pass', { ids: { repeated: 2, moved: 2 }, proof: FAST }],
  ['complete', 'records were removed meanwhile', { proof: { lastTotal: 14 } }],
  [
    'drifted',
    'more came with several keys than the list has at its end',
    { keyVersions: ['v1', 'v2'], proof: { lastTotal: 14 } },
  ],
  [
    'complete',
    'as many came with several keys as the list has at its end',
    { keyVersions: ['v1', 'v2'], proof: { lastTotal: 15 } },
  ],
  ['drifted', 'the answers contradict each other', { contradictions: ['page 3 is empty'] }],
  ['drifted', 'there are fewer customers than there must be', { proof: { leastRecords: 16 } }],
  ['drifted', 'customers moved for no reason', { ids: { repeated: 1, moved: 1 } }],
  [
    'unproven',
    'passes that were not equal gave each customer again',
    {
      proof: { open: ['Set maxPasses to 3.'], counts: { ...NO_COUNTS, passes: 2 } },
      ids: { repeated: 15, moved: 15, conflicts: 0, leftOut: 15 },
    },
  ],
  [
    'complete',
    'the way from the last page gave the first one again',
    {
      proof: { by: 'backward', counts: { ...NO_COUNTS, passes: 1 } },
      ids: { repeated: 15, moved: 0, conflicts: 1, leftOut: 15 },
    },
  ],
  ['drifted', 'too many came twice', { ids: { repeated: 2_000_001 } }],
  ['drifted', 'the id is none', { customers: 100, ids: { repeated: 90, conflicts: 80 } }],
  ['complete', 'there are as many customers as there must be', { proof: { leastRecords: 15 } }],
  [
    'drifted',
    'one gap was read again, and the walk could not show it',
    { proof: { open: ['Raise maxPasses.'], counts: { ...NO_COUNTS, gaps: 1 } } },
  ],
  ['unproven', 'the walk could not show it', { proof: { open: ['Set idKey.'] } }],
  [
    'drifted',
    'the walk could not show it, and records moved',
    { proof: { open: ['Raise maxPasses.'], counts: { ...NO_COUNTS, recovered: 1 } } },
  ],
] satisfies readonly [string, string, Seen][])('says %s when %s', (verdict, _title, seen) => {
  const { verdict: said, reasons } = verdictOf(seen);

  expect(said).toBe(verdict);
  // A sentence each, so that a person can be told one after the other.
  for (const reason of reasons) expect(reason).toMatch(/^[A-Z\d].*\.$/);
});

test('names the setting that helps before all others', () => {
  expect(verdictOf({ proof: FAST }).reasons[0]).toBe('Set walk to verified.');
  expect(verdictOf({ customers: 100, ids: { repeated: 90, conflicts: 80 } }).reasons[0]).toContain(
    'Set idKey',
  );
  const missing = verdictOf({ proof: FAST, ids: { keys: ['uuid'], missing: 4, equal: 1 } });
  expect(missing.reasons.join(' ')).toMatch(
    /4 of the 15 records have no id \(uuid\).* Set idKey .*1 of them are equal/,
  );
});

test('doubts customers without an id, and not those of a single page', () => {
  const seen = { ids: { missing: 1 }, proof: { open: ['Set idKey.'] } };
  const said = (pages: number) => verdictOf({ ...seen, pages }).reasons.join(' ');
  expect(said(2)).toContain('have no id');
  expect(said(1)).not.toContain('have no id');
});

test('names what has the id of another one in the same answer, of which nothing was compared or left out', () => {
  const seen = { pages: 1, proof: { by: 'one-answer' }, ids: { repeated: 5 } } as const;
  const said = verdictOf(seen).reasons.join(' ');
  expect(said).toContain('5 records have an id (id) that another one of the same answer has');
  expect(said).not.toContain('of them changed');
});

test('says by what fewer customers came than there must be', () => {
  const said = (proof: Partial<WalkProof>) => verdictOf({ proof }).reasons.join(' ');
  expect(said({ leastRecords: 16, lastTotal: 16 })).toContain('the last reported total is 16');
  expect(said({ leastRecords: 16, lastTotal: 15 })).toContain('a pass had or told of 16');
  expect(said({ leastRecords: 16 })).toContain('a pass had or told of 16');
});

test('says what moved, what was recovered and what came twice', () => {
  const { reasons } = verdictOf({
    firstTotal: 17,
    ids: { repeated: 3, conflicts: 2, moved: 0, leftOut: 3 },
    proof: { lastTotal: 15, counts: { ...NO_COUNTS, gaps: 2, recovered: 4 } },
  });
  const said = reasons.join(' ');

  expect(said).toContain('the reported total was 17 at first and 15 at the end');
  expect(said).toContain('4 records had moved');
  expect(said).toContain('2 times');
  expect(said).toContain('3 records came with an id (id) that had come before, 2 of them changed');
});

test('the reason of two equal passes says what they do not show', () => {
  expect(verdictOf({ proof: { by: 'equal-passes' } }).reasons).toContainEqual(
    expect.stringMatching(/two passes were equal: none is missing .*, if none came back/),
  );
});
