// How long live reads of another process wait while an export is at the limit, and what they cost it, over real
// sockets. `npm run bench -- shared-pace`.
import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setDefaultCACertificates } from 'node:tls';
import * as v from 'valibot';
import { checkLog, FLIGHT_MS } from '../../infra/simulator/check-log.ts';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import type { RateLimit } from '../../infra/simulator/rate-limit.ts';
import { defined } from '../../lib/defined.ts';
import { MAX_GATE_AGE_MS } from '../../lib/gate/gate-look.ts';
import { startLedger, TABLE } from '../functions/aws/dynalite-ledger.ts';
import { readBenchOptions } from './bench-options.ts';
import { endWith, median, publish, runsText } from './bench-report.ts';
import { CONNECTION, PER_PAGE, readLog, workerOf } from './repeated-exports.ts';
import { startApi } from './start-api.ts';

const PAGES = 400;
const PER_SECOND = 20;
const LATENCY_MS = 20;
const SHARES = [0.1, 0.5];

/** What must hold, as medians. */
const MAX_WAIT_MS = 2_000 / PER_SECOND;
const MAX_SLOWER = 1.05;

interface Limit {
  readonly title: string;
  readonly limit: RateLimit;
  readonly requestsPerSecond?: number;
}

const LIMITS: Readonly<Record<string, Limit>> = {
  learned: {
    title: 'token bucket, 20/s, burst 10, learned',
    limit: { kind: 'token-bucket', ratePerSecond: PER_SECOND, burst: 10 },
  },
  set: {
    title: '20/s, set; the API has a burst of 4',
    limit: { kind: 'token-bucket', ratePerSecond: PER_SECOND, burst: 4 },
    requestsPerSecond: PER_SECOND,
  },
};

const ReadsSchema = v.object({ waitsMs: v.array(v.number()), refused: v.number() });

interface Shared {
  readonly share: number;
  readonly wallMs: number;
  /** The same without reads, and what the reads took of the limit. */
  readonly fairMs: number;
  readonly reads: number;
  readonly refused: number;
  readonly medianWaitMs: number;
  readonly p95WaitMs: number;
  readonly throttled: number;
  readonly early: number;
}

const { runs, only, write } = readBenchOptions('shared-pace', 5, { limits: Object.keys(LIMITS) });
const problems: string[] = [];
const rows: (readonly string[])[] = [];
const results = [];
for (const [name, limit] of Object.entries(LIMITS)) {
  if (only['limits']?.includes(name) !== true) continue;
  const all: Shared[] = [];
  for (let run = 0; run < runs; run++) all.push(...(await measure(limit, run)));
  for (const share of SHARES) {
    const measured = all.filter((each) => each.share === share);
    rows.push(rowOf(limit.title, share, measured));
    results.push({ limit: limit.title, share, measured });
  }
}
publish(
  {
    name: 'shared-pace',
    command: 'npm run bench -- shared-pace',
    tables: [
      {
        title: `An export of ${PAGES} pages at ${PER_SECOND}/s, and live reads`,
        head: [
          'limit',
          'reads, of the limit',
          'waits ms',
          '95 %',
          'refused',
          'export s',
          'x fair',
          'min to max',
          'throttled',
          'early',
        ],
        rows,
      },
    ],
    notes: [
      `${runsText(runs)}, ${LATENCY_MS} ms latency. Fair: what the export takes alone, and what the requests of the reads take of the limit. Refused: reads that got no page. Early: more than a second after another process was told to wait, the most of any run. On a busy machine the simulated API stands still too, and throttles what arrived meanwhile.`,
    ],
    results,
  },
  write,
);
endWith(problems);

/** An export that learns, one that is alone, and one with live reads for each share. */
async function measure({ limit, requestsPerSecond }: Limit, run: number): Promise<Shared[]> {
  const folder = await mkdtemp(join(tmpdir(), 'shared-pace-'));
  const log = join(folder, 'log');
  const api = await startApi([
    `--limit=${JSON.stringify(limit)}`,
    `--latency=${LATENCY_MS}`,
    `--customers=${PAGES * PER_PAGE}`,
    `--max-per-page=${PER_PAGE}`,
    `--log=${log}`,
  ]);
  const database = await startLedger();
  try {
    setDefaultCACertificates([await readFile(api.ca, 'utf8')]);
    const settings = defined({ requestsPerSecond });
    const worker = workerOf(api.url, settings, database.gates);
    const timed = async (exportId: string): Promise<number> => {
      const beganMs = performance.now();
      await worker.run(exportId);
      return performance.now() - beganMs;
    };
    await timed('learns');
    const aloneMs = await timed('alone');
    const shared: Shared[] = [];
    for (const share of SHARES) {
      const before = (await readLog(log)).length;
      const ledger = { url: database.url, table: TABLE };
      const task = { baseUrl: api.url, connection: CONNECTION, ledger, seed: run, ...settings };
      const reader = startReader({ ...task, perSecond: share * PER_SECOND }, api.ca);
      const wallMs = await timed(`shared-${share}`).finally(reader.stop);
      const { waitsMs, refused } = await reader.told;
      const sorted = [...waitsMs].sort((a, b) => a - b);
      const checked = checkLog((await readLog(log)).slice(before), {
        flightMs: FLIGHT_MS + MAX_GATE_AGE_MS,
      });
      shared.push({
        share,
        wallMs,
        fairMs: aloneMs + (waitsMs.length / PER_SECOND) * 1000,
        reads: waitsMs.length,
        refused,
        medianWaitMs: median(waitsMs),
        p95WaitMs: sorted[Math.floor(0.95 * sorted.length)] ?? Number.NaN,
        throttled: checked.throttled,
        early: checked.earlyRequests.length,
      });
    }
    return shared;
  } finally {
    await database.close();
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function startReader(task: object, ca: string) {
  const script = join(import.meta.dirname, 'exporters/live-reader.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(task)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: ca, CUSTOMERS_API_KEY: DEMO_KEY },
  });
  const told = text(child.stdout).then((json) => v.parse(ReadsSchema, JSON.parse(json)));
  return {
    told,
    stop: async () => {
      child.stdin.end();
      await told;
    },
  };
}

function rowOf(title: string, share: number, all: readonly Shared[]): readonly string[] {
  const name = `${title}, reads at ${share * 100} %`;
  const of = (pick: (each: Shared) => number) => median(all.map(pick));
  const ratios = all.map(({ wallMs, fairMs }) => wallMs / fairMs);
  const p95Ms = of(({ p95WaitMs }) => p95WaitMs);
  const early = Math.max(...all.map((each) => each.early));
  if (p95Ms > MAX_WAIT_MS) problems.push(`${name}: 95 % of the waits take ${p95Ms} ms`);
  if (median(ratios) > MAX_SLOWER) problems.push(`${name}: ${median(ratios)} times as long`);
  if (early > 0) problems.push(`${name}: ${early} early requests`);
  return [
    title,
    `${share * 100} %`,
    of(({ medianWaitMs }) => medianWaitMs).toFixed(0),
    p95Ms.toFixed(0),
    `${of(({ refused, reads }) => (100 * refused) / (refused + reads)).toFixed(1)} %`,
    (of(({ wallMs }) => wallMs) / 1000).toFixed(1),
    median(ratios).toFixed(3),
    `${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
    `${of(({ throttled }) => throttled).toFixed(0)}`,
    `${early}`,
  ];
}
