import { expect, test } from '@jest/globals';
import type { Comparison } from '../../../../infra/local/start/changes-result.ts';
import { printedChanges } from '../../../../infra/local/start/print-changes.ts';
import { type RunExport, runResultOf } from '../../../../infra/local/start/run-result.ts';
import { comparisonOf } from './changes-files.ts';
import { exported, findings } from './sample-findings.ts';

const printed = (...exports: readonly RunExport[]) =>
  printedChanges(runResultOf({ ...findings(...exports), changes: true }).exports).split('\n');

const compared = (list: string, own: Partial<Comparison> = {}) =>
  exported(list, { comparison: { ...comparisonOf(), ...own } });

test('is nothing where nobody asked for changes', () => {
  expect(printedChanges(runResultOf(findings()).exports)).toBe('');
});

test('of one list: how much, some of it, and where all of it is', () => {
  expect(printed(compared('customers', { matchesApi: true }))).toEqual([
    '',
    'Changes    Before  Added  Changed  Removed  Now',
    'customers  100     3      2        2        101',
    '',
    'Such as  Id                Members',
    'added    9007199254740993',
    'changed  9007199254740994  balance, version',
    'removed  sub_0000000001',
    '',
    "Compared      with the export before, request-1: as in the API's own record of",
    '              what happened',
    'All changes   /out/changes-00001.ndjson.gz',
    '',
  ]);
});

test('of several lists: each with its name, also one that was not compared', () => {
  const lines = printed(compared('customers'), exported('invoices'));

  expect(lines).toEqual([
    '',
    'Changes    Before  Added  Changed  Removed  Now',
    'customers  100     3      2        2        101',
    '',
    'List       Such as  Id                Members',
    'customers  added    9007199254740993',
    'customers  changed  9007199254740994  balance, version',
    'customers  removed  sub_0000000001',
    '',
    'Compared      customers: with the export before, request-1',
    'All changes   customers: /out/changes-00001.ndjson.gz',
    'Not compared  invoices: The comparison did not come within 60 s after the',
    '              export.',
    '',
  ]);
});

test('says when the comparison is wrong, and when it is held back', () => {
  const summary = {
    ...comparisonOf().summary,
    state: 'held' as const,
    removedPercent: 45.5,
  };
  const lines = printed(compared('customers', { summary, matchesApi: false })).join('\n');

  expect(lines).toMatch(/^Compared .* NOT as in the API's own record/m);
  expect(lines).toMatch(
    /^Held back {5}45\.5 % of the records are gone, more than 10 %: nothing is/m,
  );
});

test('has no line that a terminal of 80 columns breaks, whatever ids and members are', () => {
  const members = Array.from({ length: 100 }, (_, index) => `member_${index}`);
  const id = 'b7e1f7c0-9d0c-4a55-8a58-7c2f9b8d2f11';
  const samples = [{ change: 'changed', id, members }] as const;

  const lines = printed(
    compared('customers', { samples, files: [] }),
    compared('subscriptions', { samples, files: [] }),
  );

  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.join('\n')).toContain(`${id}  member_0, `);
});
