import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setDefaultCACertificates } from 'node:tls';
import * as v from 'valibot';
import { systemClock, systemRandom } from '../../functions/aws/clock-and-random.ts';
import { createConnections, withClient } from '../../functions/aws/connections.ts';
import { asynchronous, MemoryGates, MemoryLedger } from '../../infra/command/try/memory-ledger.ts';
import { checkLog, FLIGHT_MS } from '../../infra/simulator/check-log.ts';
import { DEMO_KEY } from '../../infra/simulator/options.ts';
import { limiterOf, type RateLimit } from '../../infra/simulator/rate-limit.ts';
import type { RequestLogEntry } from '../../infra/simulator/request-log.ts';
import { CarriedPages } from '../../lib/exports/carried-pages.ts';
import { type ExportSettings, exportSettingsOf } from '../../lib/exports/export-settings.ts';
import { listSettingsOf } from '../../lib/exports/list-settings.ts';
import type { ExportPorts, WakeUp } from '../../lib/exports/ports.ts';
import { runStep } from '../../lib/exports/run-step.ts';
import { startExport } from '../../lib/exports/start-export.ts';
import { ApiKey } from '../../lib/key/api-key.ts';
import { delaySecondsUntil } from '../../lib/steps/delay.ts';
import { MemoryStore } from '../faults/memory-store.ts';
import { startApi } from './start-api.ts';

export interface RepeatedOptions {
  readonly limit: RateLimit;
  readonly latencyMs: number;
  readonly pages: number;
  /** Exports of one connection, one after the other. */
  readonly exports: number;
  readonly settings?: Partial<ExportSettings>;
}

/** What one of the exports took. */
export interface RepeatedExport {
  /** From its first request to its last answer, ms. */
  readonly wallMs: number;
  /** The same for who knows the limit and what is left of it. */
  readonly idealMs: number;
  readonly requests: number;
  readonly throttled: number;
  /** Requests before a `Retry-After` was over. */
  readonly early: number;
  readonly steps: number;
}

export const CONNECTION = 'bench';
export const PER_PAGE = 100;
const MAX_PAGES_IN_FLIGHT = 16;
const INVOCATION_MS = 900_000;

const EntrySchema = v.looseObject({
  n: v.number(),
  at: v.number(),
  method: v.string(),
  path: v.string(),
  url: v.string(),
  keyId: v.string(),
  connection: v.number(),
  status: v.union([v.number(), v.picklist(['reset', 'silent', 'pending'])]),
  answeredAt: v.exactOptional(v.number()),
  answeredAfter: v.exactOptional(v.number()),
  retryAfterSeconds: v.exactOptional(v.number()),
  notBefore: v.exactOptional(v.number()),
});

/**
 * Runs exports of one connection, in real time, against the simulated API in its own process. Ledger,
 * store and queue are in memory, so that what is measured is the worker and the pace that it learns.
 */
export async function repeatExports(options: RepeatedOptions): Promise<readonly RepeatedExport[]> {
  const { limit, latencyMs, pages } = options;
  const folder = await mkdtemp(join(tmpdir(), 'pace-'));
  const log = join(folder, 'log');
  const api = await startApi([
    `--limit=${JSON.stringify(limit)}`,
    `--latency=${latencyMs}`,
    `--customers=${pages * PER_PAGE}`,
    `--max-per-page=${PER_PAGE}`,
    `--log=${log}`,
  ]);
  try {
    setDefaultCACertificates([await readFile(api.ca, 'utf8')]);
    const worker = workerOf(api.url, options.settings ?? {});
    const done: RepeatedExport[] = [];
    let before: readonly RequestLogEntry[] = [];
    for (let index = 0; index < options.exports; index++) {
      const steps = await worker.run(`export-${index}`);
      const entries = await readLog(log);
      const own = entries.slice(before.length);
      done.push({ ...measured(own), idealMs: idealMs(options, before, own), steps });
      before = entries;
    }
    return done;
  } finally {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * All that a connection's worker keeps from one export to the next.
 *
 * @param gates @default - in memory
 */
export function workerOf(
  baseUrl: string,
  own: Partial<ExportSettings>,
  gates: ExportPorts['gates'] = asynchronous(new MemoryGates()),
) {
  const rules = {
    export: exportSettingsOf(own),
    lists: new Map([['customers', listSettingsOf('customers', { perPage: PER_PAGE })]]),
  };
  const key = ApiKey.from(DEMO_KEY);
  const waiting: { wakeUp: WakeUp; atMs: number }[] = [];
  const ports: ExportPorts = {
    clock: systemClock,
    random: systemRandom,
    ledger: asynchronous(new MemoryLedger()),
    gates,
    store: asynchronous(new MemoryStore()),
    events: { publish: async () => undefined },
    carried: new CarriedPages(),
    queue: {
      send: async (wakeUp, dueAtMs = 0) => {
        const delaySeconds = delaySecondsUntil(dueAtMs, Date.now());
        waiting.push({ wakeUp, atMs: Date.now() + delaySeconds * 1000 });
      },
    },
    connections: createConnections(
      {
        keyStore: { read: async () => ({ kind: 'key', key, keyVersion: 'v1' }) },
        apiSettingsOf: () => ({ baseUrl }),
        listsOf: () => new Map(),
      },
      withClient,
    ),
  };
  const run = async (exportId: string): Promise<number> => {
    await startExport(ports, rules, { connection: CONNECTION, list: 'customers', exportId });
    let steps = 0;
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      await delay(Math.max(0, next.atMs - Date.now()));
      const endMs = Date.now() + INVOCATION_MS;
      const report = await runStep(ports, rules, next.wakeUp, {
        remainingMs: () => endMs - Date.now(),
      });
      steps++;
      if (report.result === 'failed')
        throw new Error(`The export failed: ${report.facts.reasonCode}.`);
    }
    return steps;
  };
  return { run };
}

export async function readLog(file: string): Promise<readonly RequestLogEntry[]> {
  // The last answers are written down when they are over, which the client knows a moment earlier.
  await delay(300);
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  const entries = lines.map((line) => v.parse(EntrySchema, JSON.parse(line)));
  return entries.sort((a, b) => a.n - b.n);
}

function measured(entries: readonly RequestLogEntry[]) {
  const { requests, throttled, earlyRequests } = checkLog(entries, { flightMs: FLIGHT_MS });
  const firstMs = entries[0]?.at ?? 0;
  const lastMs = Math.max(...entries.map((entry) => entry.answeredAt ?? entry.at));
  return { wallMs: lastMs - firstMs, requests, throttled, early: earlyRequests.length };
}

/** Plays the limiter as the exports before have left it, and asks as soon as it admits a request. */
function idealMs(
  { limit, latencyMs, pages }: RepeatedOptions,
  before: readonly RequestLogEntry[],
  own: readonly RequestLogEntry[],
): number {
  const limiter = limiterOf(limit);
  for (const { at } of before) limiter(at + latencyMs);
  const startMs = (own[0]?.at ?? 0) + latencyMs;
  let nowMs = startMs;
  for (let page = 1; page < pages; ) {
    if (limiter(nowMs).kind === 'throttled') nowMs += 1;
    else {
      page++;
      nowMs += latencyMs / MAX_PAGES_IN_FLIGHT;
    }
  }
  return nowMs - startMs + latencyMs;
}
