import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { jsonOf, type RunExport, runResultOf } from '../../../../infra/local/start/run-result.ts';
import type { ExportReason } from '../../../../lib/exports/export-state.ts';
import { manifestWith, stateOf } from '../../../lib/exports/state-of.ts';
import { exported, findings } from './sample-findings.ts';

test('has what the ledger counted, and null for what only a simulated API knows', () => {
  expect(jsonOf(runResultOf(findings()))).toEqual({
    status: 'completed',
    connection: 'acme',
    list: 'customers',
    exportId: 'request-1',
    pages: 15,
    customers: 1_500,
    requests: 18,
    throttled: 3,
    waitedSeconds: 1_234,
    earlyRequests: null,
    parts: ['/out/customers/part-1'],
    manifest: null,
    schema: null,
    report: null,
    completeness: { verdict: 'complete', reasons: ['All counts agree.'] },
    warnings: [],
    matchesApi: null,
    reason: null,
    elapsedSeconds: 12.3,
    estimatedCostUsd: 0,
  });
});

test('docs/settings.md names each member', () => {
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/settings.md'), 'utf8');
  const line = page.split('\n').find((each) => each.startsWith('`--json` prints one object'));

  const names = Object.keys(jsonOf(runResultOf(findings()))).map((name) => `\`${name}\``);
  expect(names.filter((name) => line?.includes(name) !== true)).toEqual([]);
});

test('has the comparison with a simulated API, also when it is bad', () => {
  const seen = findings(exported('customers', { matchesApi: false }));

  expect(jsonOf(runResultOf({ ...seen, earlyRequests: 0 }))).toMatchObject({
    earlyRequests: 0,
    matchesApi: false,
  });
});

test('names the file of the manifest', () => {
  const content = manifestWith(stateOf());
  const manifest = { content, file: '/out/manifest.json' };

  expect(jsonOf(runResultOf(findings(exported('customers', { manifest }))))).toMatchObject({
    manifest: '/out/manifest.json',
  });
});

const reason: ExportReason = { code: 'deadline', message: 'It took too long.' };
const failed = (list: string) =>
  exported(list, { state: stateOf({ list, status: 'failed', reason }), partFiles: [] });
const halted = (list: string) =>
  exported(list, { state: stateOf({ list, status: 'halted', reason }), partFiles: [] });

test('says why an export stopped', () => {
  const result = jsonOf(runResultOf(findings(failed('customers'))));

  expect(result).toMatchObject({ status: 'failed', reason });
});

test('has an object for each of several lists, and what holds for the run once', () => {
  const run = { ...findings(exported('customers'), exported('invoices')), earlyRequests: 0 };

  const { exports, ...about } = runResultOf(run);

  expect(jsonOf(runResultOf(run))).toEqual({ ...about, exports });
  expect(about).toEqual({
    connection: 'acme',
    status: 'completed',
    earlyRequests: 0,
    elapsedSeconds: 12.3,
    estimatedCostUsd: 0,
  });
  expect(exports).toMatchObject([
    { list: 'customers', status: 'completed', customers: 1_500 },
    { list: 'invoices', status: 'completed', parts: ['/out/invoices/part-1'] },
  ]);
});

/** Its turn did not come. */
const queued: RunExport = { list: 'subscriptions', exportId: 'request-2', partFiles: [] };

test.each([
  ['completed', [exported('customers'), exported('invoices')]],
  ['failed', [exported('customers'), failed('invoices'), exported('subscriptions')]],
  ['halted', [exported('customers'), halted('invoices'), queued]],
  ['halted', [failed('customers'), halted('invoices'), queued]],
])('a run of several lists is %s in case %#', (status, exports) => {
  const result = runResultOf(findings(...exports));

  expect(result.status).toBe(status);
  expect(result.exports.map((each) => each.status)).toEqual(
    exports.map(({ state }) => state?.status ?? 'queued'),
  );
});
