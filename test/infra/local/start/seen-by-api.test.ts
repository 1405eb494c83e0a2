import { rmSync } from 'node:fs';
import { afterEach, expect, test } from '@jest/globals';
import type { RunExport } from '../../../../infra/local/start/run-result.ts';
import { seenByApi } from '../../../../infra/local/start/seen-by-api.ts';
import { ListHistory } from '../../../../infra/simulator/list-history.ts';
import { END, manifestWith, START_MS, stateOf } from '../../../lib/exports/state-of.ts';
import { comparisonOf, gzipFiles, lineOf } from './changes-files.ts';
import { exported } from './sample-findings.ts';

const record = (id: number, version = 1) => `{"id":${id},"version":${version}}`;
/** One is edited and two is deleted between the exports; three is deleted and four added while the second one reads. */
const HISTORY = new ListHistory(new Map([1, 2, 3, 5].map((id) => [`${id}`, record(id)])), [
  { at: START_MS + 150, action: 'updated', id: '1', text: record(1, 2) },
  { at: START_MS + 150, action: 'deleted', id: '2' },
  { at: START_MS + 250, action: 'deleted', id: '3' },
  { at: START_MS + 250, action: 'inserted', id: '4', text: record(4) },
]);
const API = {
  baseUrl: '',
  key: '',
  truth: { historyOf: () => HISTORY, earlyRequests: () => 0, requests: () => [] },
};

const stateAt = (fromMs: number) => {
  const startedAtMs = START_MS + fromMs;
  const end = { ...END, atMs: startedAtMs + 99 };
  return stateOf({ status: 'completed', startedAtMs, end });
};

let folder = '';
afterEach(() => rmSync(folder, { recursive: true }));

/** The second of two exports. */
async function seen(records: readonly string[], changes: readonly string[]) {
  const files = gzipFiles([records.map((text) => `${text}\n`).join('')], [changes.join('')]);
  ({ folder } = files);
  const [part = '', changed = ''] = files.paths;
  const each: RunExport = exported('customers', {
    state: stateAt(200),
    earlier: exported('customers', { exportId: 'request-0', state: stateAt(0) }),
    manifest: { content: manifestWith(stateAt(200)), file: '' },
    partFiles: [part],
    comparison: { ...comparisonOf(), files: [changed] },
  });
  const { exports, earlyRequests } = await seenByApi([each], API);
  const [result] = exports;
  return { earlyRequests, export: result?.matchesApi, changes: result?.comparison?.matchesApi };
}

const READ = [record(1, 2), record(5)];
const TOLD = [lineOf('changed', '1', ['version']), lineOf('removed', '2')];

test.each([
  ['before three was deleted', [...READ, record(3)], TOLD],
  ['after three was deleted', READ, [...TOLD, lineOf('removed', '3')]],
  ['after four was added', [record(4), ...READ], [...TOLD, lineOf('added', '4')]],
])('agrees with an export that read %s', async (_, records, changes) => {
  expect(await seen(records, changes)).toEqual({ earlyRequests: 0, export: true, changes: true });
});

test.each([
  ['misses one that was there throughout', [record(1, 2)]],
  ['has one as it was before', [record(1), record(5)]],
  ['has one that was gone', [...READ, record(2)]],
  ['has one twice', [...READ, record(5)]],
  ['has one of nobody', [...READ, record(9)]],
])('does not agree with an export that %s', async (_, records) => {
  expect(await seen(records, TOLD)).toMatchObject({ export: false });
});

test.each([
  ['misses one', TOLD.slice(1)],
  ['has one that cannot be', [...TOLD, lineOf('removed', '5')]],
  ['takes one for another', [lineOf('added', '1'), lineOf('removed', '2')]],
])('does not agree with a comparison that %s', async (_, changes) => {
  expect(await seen(READ, changes)).toMatchObject({ export: true, changes: false });
});
