import { rmSync } from 'node:fs';
import { afterAll, expect, test } from '@jest/globals';
import { idsOfChanges, samplesIn } from '../../../../infra/local/start/changes-result.ts';
import { jsonOf, type RunExport, runResultOf } from '../../../../infra/local/start/run-result.ts';
import type { Completeness, ExportState } from '../../../../lib/exports/export-state.ts';
import { stateOf } from '../../../lib/exports/state-of.ts';
import { comparisonOf, gzipFiles, lineOf } from './changes-files.ts';
import { exported, findings } from './sample-findings.ts';

const { folder, paths } = gzipFiles(
  [
    lineOf('added', '1') + lineOf('added', '"two"') + lineOf('changed', '3', ['name']),
    lineOf('added', '4') + lineOf('added', '5'),
  ],
  [lineOf('removed', '9007199254740993') + lineOf('changed', '7', [])],
);
const COUNTS = { before: 9, now: 12, added: 4, changed: 2, removed: 1, unchanged: 6 };

afterAll(() => rmSync(folder, { recursive: true }));

test('shows three changes of each kind, from all files, with every digit of their ids', async () => {
  expect(await samplesIn(paths, COUNTS)).toEqual([
    { change: 'added', id: '1' },
    { change: 'added', id: 'two' },
    { change: 'added', id: '4' },
    { change: 'changed', id: '3', members: ['name'] },
    { change: 'changed', id: '7', members: [] },
    { change: 'removed', id: '9007199254740993' },
  ]);
  expect(await idsOfChanges(paths)).toEqual({
    added: new Set(['1', 'two', '4', '5']),
    changed: new Set(['3', '7']),
    removed: new Set(['9007199254740993']),
  });
});

test('finds a change in whose record a text has a line separator', async () => {
  const separated = gzipFiles([lineOf('added', '"a\u2028b\u2029c"')]);
  const ids = await idsOfChanges(separated.paths);
  rmSync(separated.folder, { recursive: true });

  expect(ids.added).toEqual(new Set(['a\u2028b\u2029c']));
});

test('reads no further than it has to', async () => {
  const none = '/nowhere/changes-00002.ndjson.gz';

  await expect(
    samplesIn([paths[0] ?? '', none], { ...COUNTS, changed: 1, removed: 0 }),
  ).resolves.toHaveLength(4);
});

const changesOf = (own: Partial<RunExport>) =>
  jsonOf(runResultOf({ ...findings(exported('customers', own)), changes: true }));

test('is with the result of its list, as numbers and samples', () => {
  const { files, samples } = comparisonOf();

  expect(changesOf({ comparison: { ...comparisonOf(), matchesApi: true } })).toMatchObject({
    status: 'completed',
    changes: {
      state: 'found',
      reason: null,
      since: 'request-1',
      counts: { before: 100, now: 101, added: 3, changed: 2, removed: 2, unchanged: 96 },
      removedPercent: 2,
      maxRemovedPercent: 10,
      samples,
      files,
      summary: '/out/changes.json',
      matchesApi: true,
    },
  });
});

test('nobody asked for changes: the result says nothing of them', () => {
  expect(jsonOf(runResultOf(findings()))).not.toHaveProperty('changes');
});

const completeness = (verdict: Completeness['verdict']) => ({ verdict, reasons: [] });
const completed = (verdict: Completeness['verdict']): ExportState =>
  stateOf({ status: 'completed', completeness: completeness(verdict) });
const earlier = exported('customers', {
  exportId: 'request-0',
  state: completed('complete'),
});

test.each<[string, Partial<RunExport>]>([
  ['The first export is failed, and only', { state: stateOf({ status: 'failed' }) }],
  ['The first export is unproven, and only', { state: completed('unproven') }],
  ['The second export is drifted, and only', { state: completed('drifted'), earlier }],
  ['The second export is halted, and only', { state: stateOf({ status: 'halted' }), earlier }],
  ['The comparison did not come within 60 s', { state: completed('complete'), earlier }],
])('says why nothing was compared: %s', (sentence, own) => {
  expect(changesOf(own)).toMatchObject({
    changes: { state: 'missing', reason: expect.stringContaining(sentence), samples: [] },
  });
});
