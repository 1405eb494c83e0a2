import { expect, test } from '@jest/globals';
import { runResultOf } from '../../../../infra/local/start/run-result.ts';
import type { ExportReason } from '../../../../lib/exports/export-state.ts';
import { manifestWith, stateOf } from '../../../lib/exports/state-of.ts';
import { findings } from './sample-findings.ts';

test('has what the ledger counted, and null for what only a simulated API knows', () => {
  expect(runResultOf(findings())).toEqual({
    status: 'completed',
    connection: 'acme',
    exportId: 'request-1',
    pages: 15,
    customers: 1_500,
    requests: 18,
    throttled: 3,
    waitedSeconds: 1_234,
    earlyRequests: null,
    parts: ['/out/part-1'],
    manifest: null,
    schema: null,
    completeness: { verdict: 'complete', reasons: ['All counts agree.'] },
    warnings: [],
    matchesApi: null,
    reason: null,
    elapsedSeconds: 12.3,
    estimatedCostUsd: 0,
  });
});

test('has the comparison with a simulated API, also when it is bad', () => {
  expect(runResultOf(findings({ earlyRequests: 0, matchesApi: false }))).toMatchObject({
    earlyRequests: 0,
    matchesApi: false,
  });
});

test('names the file of the manifest', () => {
  const { state } = findings();
  const content = manifestWith(state);
  const manifest = { content, file: '/out/manifest.json' };

  expect(runResultOf(findings({ manifest })).manifest).toBe('/out/manifest.json');
});

test('says why an export stopped', () => {
  const reason: ExportReason = { code: 'deadline', message: 'It took too long.' };
  const state = stateOf({ status: 'failed', reason });

  expect(runResultOf(findings({ state }))).toMatchObject({ status: 'failed', reason });
});
