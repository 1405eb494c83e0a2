import { expect, test } from '@jest/globals';
import { CommandError } from '../../../../infra/command/command-error.ts';
import {
  deployedReport,
  type ReportSources,
  shownPoint,
} from '../../../../infra/command/stack/deployed-report.ts';
import type { BegunExport } from '../../../../infra/command/stack/shown-export.ts';
import { reportData } from '../../report/report-sample.ts';

const STARTED = '2026-11-22T20:00:00.000Z';

const shown = (more: Partial<BegunExport> = {}): BegunExport => ({
  ...{ list: 'customers', exportId: 'request-1', status: 'completed', startedAt: STARTED },
  updatedAt: '2026-11-22T20:00:09.000Z',
  progress: {
    ...{ pages: 15, customers: 1_500, totalCustomers: 1_500, percent: 100, expectedEndAt: null },
  },
  ...{ notBefore: null, waits: { throttles: 3, seconds: 4 }, parts: { count: 2, storedBytes: 9 } },
  completeness: { verdict: 'complete', reasons: ['All counts agree.'] },
  changes: { status: 'found' },
  reason: null,
  ...more,
});

const { manifest, schema } = reportData();
const FILES = { manifest: JSON.stringify(manifest), schema: JSON.stringify(schema) };
const COUNTS = { before: 1_497, now: 1_500, added: 3, changed: 2, removed: 1, unchanged: 1_494 };

/** A route of changes, as it answers for one kind. */
function changesPage(change: string, counts: object = COUNTS): string {
  const facts = { status: 'found', counts, since: { exportId: 'request-0' }, reason: null };
  const id = change === 'changed' ? '9007199254740993.10' : '"<b>x</b>"';
  return `${JSON.stringify({ ...facts, next: null }).slice(0, -1)},"changes":[{"change":"${change}","id":${id},"members":["email"]}]}`;
}

interface Case extends ReportSources {
  readonly shown?: Partial<BegunExport>;
  readonly changes?: (change: string) => Promise<string>;
}

async function reportOf({ shown: more = {}, changes, ...sources }: Case = {}): Promise<string> {
  const answer = changes ?? (async (change: string) => changesPage(change));
  const api = {
    ask: (_: string, __: readonly string[], { query = {} }: { query?: object } = {}) =>
      answer(String(Object(query).change)),
  };
  const page = await deployedReport(
    { api, connection: 'acme', exportId: 'request-1' },
    shown(more),
    sources,
  );
  return page
    .replace(/<style>.*<\/style>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
}

test('shows of a deployed export what its files and the ledger say, and says what nobody knows', async () => {
  const text = await reportOf(FILES);
  for (const expected of [
    'Export of customers, connection acme',
    'completed, complete .',
    'Records 1,500 Pages 15 Requests 18 Throttled 3 Asked to wait 4.0 s',
    'All counts agree.',
    '3 added, 2 changed, 1 removed, 1,494 as they were.',
    'Compared with request-0',
    'changed 9007199254740993.10 email',
    '&lt;b&gt;x&lt;/b&gt;',
    'part-00001-aaaa.ndjson.gz',
    '$.address.city text, null 1,400',
    'What is not known here',
    'customers-functions watch --report FILE',
    'When each request was sent',
    'AWS bills no single export',
  ]) {
    expect(text).toContain(expected);
  }
  for (const absent of [
    'over time',
    'against the limit Requests',
    'Cost on AWS',
    'NaN',
    'undefined',
  ])
    expect(text).not.toContain(absent);
});

test('draws the course that was watched, up to what the ledger says last', async () => {
  const seen = (second: number, pages: number, throttles: number) =>
    shownPoint(
      shown({
        updatedAt: `2026-11-22T20:00:0${second}.000Z`,
        progress: { ...shown().progress, pages },
        ...{ waits: { throttles, seconds: 0 }, notBefore: `2026-11-22T20:00:0${second + 1}.000Z` },
      }),
    );
  const text = await reportOf({ ...FILES, course: [seen(1, 3, 0), seen(4, 9, 1)] });
  expect(text).toContain('Pages, throttles and waits over time');
  expect(text).toContain('Waited 1.0 s');
  expect(text).toContain('1 throttle so far');
  expect(text).not.toContain('customers-functions watch --report');
  const late = await reportOf({
    shown: { startedAt: '2026-11-22T19:00:00.000Z' },
    course: [seen(1, 3, 0), seen(4, 9, 1)],
  });
  expect(late).toContain('it was watched from then on');
});

test.each<[string, Case, readonly string[], readonly string[]]>([
  [
    'one that runs',
    { shown: { status: 'running', completeness: null, changes: null } },
    ['running', 'Records 1,500'],
    ['Parts', 'Took', 'compared some'],
  ],
  [
    'one that failed',
    {
      shown: {
        status: 'failed',
        completeness: null,
        changes: null,
        reason: { code: 'deadline', message: 'It took <too> long.' },
      },
    },
    ['failed', 'It took &lt;too&gt; long. Code deadline'],
    ['What its records'],
  ],
  ['one without files', {}, ['Its parts and figures', 'What its records look like.'], ['SHA-256']],
  [
    'one whose manifest is of another version',
    { manifest: '{"version":0}' },
    ['Its parts and figures'],
    ['SHA-256'],
  ],
  [
    'one that is not compared yet',
    { ...FILES, shown: { changes: null } },
    ['What it changed. It is compared'],
    ['added'],
  ],
  [
    'the first of its list',
    { ...FILES, shown: { changes: { status: 'first' } } },
    ['There was no complete export to compare with'],
    ['added'],
  ],
  [
    'one whose changes were discarded',
    { ...FILES, shown: { changes: { status: 'discarded' } } },
    ['3 added', 'A person decided that nothing more of them is told.'],
    [],
  ],
  [
    'one whose changes are held',
    { ...FILES, shown: { changes: { status: 'held' } } },
    ['Held back'],
    [],
  ],
  [
    'one whose changes may not be read',
    {
      ...FILES,
      changes: async () => {
        throw new CommandError('You may not <read> it.');
      },
    },
    ['What it changed. You may not &lt;read&gt; it.'],
    ['Compared with'],
  ],
])('of %s it says what is known', async (_, given, expected, absent) => {
  const text = await reportOf(given);
  for (const each of expected) expect(text).toContain(each);
  for (const each of [...absent, 'NaN', 'undefined']) expect(text).not.toContain(each);
});
