import { expect, test } from '@jest/globals';
import { printedResult } from '../../../../infra/local/start/print-result.ts';
import { runResultOf } from '../../../../infra/local/start/run-result.ts';
import { stateOf } from '../../../lib/exports/state-of.ts';
import { findings } from './sample-findings.ts';

/** Of the column of names. */
const NAME_WIDTH = 14;

const COMPLETED = runResultOf(findings());

test('is a table of what a person asks for', () => {
  const table = printedResult({ ...COMPLETED, manifest: '/out/manifest.json' });

  expect(table.split('\n').map((line) => line.slice(0, NAME_WIDTH).trim())).toEqual([
    'Export',
    'Customers',
    'Pages',
    'Requests',
    'Waited',
    'Verdict',
    '', // its reasons, one a line
    'Parts',
    'Manifest',
    'Cost on AWS',
    '',
  ]);
  expect(table).toContain('completed: connection acme, id request-1');
  expect(table).toContain('1,234 s, as the API asked, of 12.3 s');
  expect(table).toMatch(/^Parts +1, .* in \/out$/m);
});

test('says of a comparison what it found, and nothing when there was none', () => {
  expect(printedResult(COMPLETED)).toMatch(/^Customers +1,500$/m);
  expect(printedResult({ ...COMPLETED, matchesApi: true, earlyRequests: 0 })).toMatch(
    /^Customers +1,500, the same as in the API.*\n.*\nRequests .* 0 early by the API's own log$/m,
  );
  expect(printedResult({ ...COMPLETED, matchesApi: false })).toContain('NOT the same');
});

test('shows what was not believed, and on how many pages', () => {
  const warnings = [
    { message: 'metaKeys.total names meta.totl, which is not there', pages: 1_500 },
    { message: 'meta.count and count contradict each other as count', pages: 1 },
  ];

  expect(printedResult({ ...COMPLETED, warnings })).toMatch(
    /^Warnings +metaKeys\.total .* \(on 1,500 pages\)\n +meta\.count .* \(on 1 page\)$/m,
  );
  expect(printedResult(COMPLETED)).not.toContain('Warnings');
});

test('shows why an export stopped and leaves out what it does not have', () => {
  const reason = { code: 'deadline', message: 'It took too long. Start again.' } as const;
  const table = printedResult(
    runResultOf(findings({ state: stateOf({ status: 'failed', reason }), partFiles: [] })),
  );

  expect(table).toMatch(/^Why +It took too long\. Start again\.$/m);
  expect(table).not.toMatch(/Verdict|Manifest/);
  expect(table).toMatch(/^Parts +0$/m);
});

test.each([
  [0.0000012, '0.000001 USD'],
  [0.5, '0.50 USD'],
])('a cost of %d is written as %s', (estimatedCostUsd, text) => {
  expect(printedResult({ ...COMPLETED, estimatedCostUsd })).toContain(`about ${text}:`);
});
