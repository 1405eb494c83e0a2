import type { ReportData } from '../../../infra/report/report-data.ts';
import { manifestOf } from '../../../lib/exports/manifest.ts';
import { END, START_MS, stateOf } from '../../lib/exports/state-of.ts';

/** An export with something of everything. */
export function reportData(): ReportData {
  const completeness = { verdict: 'complete', reasons: ['All counts agree.'] } as const;
  const counts = { requests: 18, throttles: 3, waitedSeconds: 4 };
  const state = stateOf({ list: 'customers', counters: counters(), completeness });
  const manifest = manifestOf({
    state: { ...state, end: { ...END, atMs: START_MS + 9_000 } },
    parts: [],
    ids: { keys: ['id'], missing: 0, repeated: 0, leftOut: 0, equal: 0 },
    completeness,
  });
  const part = {
    key: 'exports/x/part-00001-aaaa.ndjson.gz',
    ...{ firstPage: 1, pages: 15, customers: 1_500, bytes: 700_000, storedBytes: 90_000 },
    sha256: 'ab'.repeat(32),
  };
  const walkCounts = { answers: 16, dropped: 0, skipped: 40, gaps: 2, recovered: 1 };
  const others = { frontChecks: 1, tailChecks: 0, passes: 0 };
  return {
    ...{ connection: 'acme', list: 'customers', exportId: 'request-1', status: 'completed' },
    ...{ startedAtMs: START_MS, endedAtMs: START_MS + 9_000 },
    course: [
      { atMs: START_MS, pages: 0, records: 0, throttles: 0, step: 0, requests: 0 },
      {
        ...{ atMs: START_MS + 2_000, pages: 9, records: 900, throttles: 3, step: 1 },
        waitUntilMs: START_MS + 6_000,
      },
      { atMs: START_MS + 9_000, pages: 15, records: 1_500, throttles: 3 },
    ],
    requests: {
      from: "by the API's own log",
      entries: [
        { atMs: START_MS + 100, outcome: 'answered' },
        { atMs: START_MS + 1_900, outcome: 'throttled' },
        { atMs: START_MS + 8_000, outcome: 'failed' },
      ],
    },
    limit: { requestsPerSecond: 25, burst: 20, says: 'the simulated API allows' },
    manifest: {
      ...manifest,
      ...counts,
      parts: [part],
      walk: {
        ...{ kind: 'verified', order: 'rising', by: 'chain', leastRecords: 1_500, dropped: [] },
        counts: { ...walkCounts, ...others },
      },
    },
    schema: {
      ...{ version: 1, connection: 'acme', list: 'customers', exportId: 'request-1' },
      ...{ startedAt: manifest.startedAt, endedAt: manifest.endedAt, changes: [], records: 1_500 },
      record: {
        types: { object: 1_500 },
        members: [
          {
            ...{ name: 'address', present: 1_500, always: true, types: { object: 1_500 } },
            members: [
              { name: 'city', present: 1_400, always: false, types: { null: 1, text: 1_399 } },
            ],
          },
        ],
      },
    },
    changes: {
      state: 'found',
      since: 'request-0',
      counts: { before: 1_497, now: 1_500, added: 3, changed: 2, removed: 1, unchanged: 1_494 },
      samples: [{ change: 'changed', id: '17', members: ['email'] }],
    },
    cost: { byService: { Lambda: 0.00007, SQS: 0 }, basis: 'Operations of the whole run' },
    earlyRequests: 0,
    matchesApi: true,
  };
}

function counters() {
  const records = { pages: 15, customers: 1_500, bytes: 700_000 };
  return { ...records, requests: 18, throttles: 3, waitedSeconds: 4 };
}
