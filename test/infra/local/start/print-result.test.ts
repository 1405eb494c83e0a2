import { expect, test } from '@jest/globals';
import { printedResult } from '../../../../infra/local/start/print-result.ts';
import type { RunExport } from '../../../../infra/local/start/run-result.ts';
import { runResultOf } from '../../../../infra/local/start/run-result.ts';
import { manifestWith, stateOf } from '../../../lib/exports/state-of.ts';
import { exported, findings } from './sample-findings.ts';

/** Of the column of names. */
const NAME_WIDTH = 14;

const COMPLETED = runResultOf(findings());

const printed = (own: Partial<RunExport>) =>
  printedResult(runResultOf(findings(exported('customers', own))));

test('is a table of what a person asks for', () => {
  const manifest = { content: manifestWith(stateOf()), file: '/out/manifest.json' };
  const table = printed({ manifest });

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
  expect(table).toContain('not all 1,234 s that the API asked for, of 12.3 s');
  expect(table).toMatch(/^Parts +1, .* in \/out\/customers$/m);
});

test('says of a comparison what it found, and nothing when there was none', () => {
  expect(printedResult(COMPLETED)).toMatch(/^Customers +1,500$/m);
  const same = runResultOf(findings(exported('customers', { matchesApi: true })));
  expect(printedResult({ ...same, earlyRequests: 0 })).toMatch(
    /^Customers +1,500, the same as in the API.*\n.*\nRequests .* 0 early by the API's own log$/m,
  );
  expect(printed({ matchesApi: false })).toContain('NOT the same');
  expect(printedResult(runResultOf(findings(exported('invoices'))))).toMatch(/^Records +1,500$/m);
});

test('shows what was not believed, and on how many pages', () => {
  const warnings = [
    { message: 'metaKeys.total names meta.totl, which is not there', pages: 1_500 },
    { message: 'meta.count and count contradict each other as count', pages: 1 },
  ];

  expect(printed({ state: stateOf({ warnings }) })).toMatch(
    /^Warnings +--meta-keys\.total .* \(on 1,500\n +pages\)\n +meta\.count .* \(on 1 page\)$/m,
  );
  expect(printedResult(COMPLETED)).not.toContain('Warnings');
});

test('settings are named by their options in the verdict', () => {
  const reasons = ['Set perPage to 16 or more.'];
  const completeness = { verdict: 'unproven', reasons } as const;
  const told = 'Set --per-page to 16 or more.';
  const unproven = (list: string) => exported(list, { state: stateOf({ list, completeness }) });

  expect(printedResult(runResultOf(findings(unproven('customers'))))).toContain(told);
  const several = findings(unproven('customers'), unproven('invoices'));
  expect(printedResult(runResultOf(several))).toContain(`invoices: ${told}`);
});

test('shows why an export stopped and leaves out what it does not have', () => {
  const reason = { code: 'deadline', message: 'It took too long. Start again.' } as const;
  const table = printed({ state: stateOf({ status: 'failed', reason }), partFiles: [] });

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

test('has a row for each of several lists, and below what there is to say about them', () => {
  const reason = { code: 'refused', message: 'The API answered 404.' } as const;
  const state = stateOf({ list: 'invoices', status: 'failed', reason });
  const table = printedResult(
    runResultOf({
      ...findings(
        exported('customers', { matchesApi: true }),
        exported('invoices', { state, partFiles: [] }),
        { list: 'subscriptions', exportId: 'request-3', partFiles: [] },
      ),
      earlyRequests: 0,
    }),
  );

  expect(table.split('\n')).toEqual([
    'List           Status     Records  Pages  Requests  Throttled  Waited (s)  Verdict',
    'customers      completed  1,500    15     18        3          1,234       complete',
    'invoices       failed     0        0      0         0          0',
    'subscriptions  queued     0        0      0         0          0',
    '',
    'Exports       failed: connection acme, 3 lists in turns',
    'Why           invoices: The API answered 404.',
    'In the API    customers: the same, record by record',
    'Parts         customers: 1, gzip with one JSON text a line, in /out/customers',
    "Time          12.3 s, 0 early by the API's own log",
    expect.stringMatching(/^Cost on AWS {3}about /),
    '',
  ]);
});

test('no sentence is wider than a terminal of 80 columns', () => {
  const reasons = [
    'The chain of shared rows holds from the first record to the last one. '.repeat(3),
  ];
  const state = stateOf({ completeness: { verdict: 'complete', reasons } });

  const lines = printed({ state, matchesApi: true }).split('\n');

  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  expect(lines.filter((line) => line.startsWith(' '.repeat(NAME_WIDTH)))).toHaveLength(4);
});

test('says of each list why it is not complete', () => {
  const completeness = { verdict: 'unproven', reasons: ['The API gives no total.'] } as const;
  const state = stateOf({ list: 'invoices', status: 'completed', completeness });
  const table = printedResult(
    runResultOf(findings(exported('customers'), exported('invoices', { state }))),
  );

  expect(table).toMatch(/^Verdicts +invoices: The API gives no total\.$/m);
});
