import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createUsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import { parseStartOptions } from '../../../../infra/local/start/start-options.ts';
import { writeReports } from '../../../../infra/local/start/write-reports.ts';
import type { RequestLogEntry } from '../../../../infra/simulator/request-log.ts';
import { exported } from './sample-findings.ts';

const LIMIT = { requestsPerSecond: 25, burst: 20 };

test.each([
  [[], 'the simulated API allows 25 requests a second, and 20 requests at once after a pause'],
  [['--requests-per-second=5'], 'the settings allow 5 requests a second'],
])('with %j the report draws the requests against what %s', async (args, limit) => {
  const out = mkdtempSync(join(tmpdir(), 'write-reports-'));
  const options = parseStartOptions([...args, '--out', out]);
  if (options === 'help') throw new Error('no help was asked for');
  const each = exported('customers');
  const at = each.state?.startedAtMs ?? 0;
  const entry: RequestLogEntry = {
    ...{ n: 1, at, method: 'GET', path: '', url: '', resource: 'customers' },
    ...{ keyId: 'demo/1', connection: 1, status: 200 },
  };
  const truth = { historyOf: () => undefined, earlyRequests: () => 0, requests: () => [entry] };

  const run = { ...options, api: { limit: LIMIT, truth }, usage: createUsageMeter().usage() };
  const [reported] = await writeReports([each], run);

  expect(readFileSync(reported?.reportFile ?? '', 'utf8')).toContain(limit);
  rmSync(out, { recursive: true });
});
