// How close the worker comes to the ideal when it does not know the API's limit:
// node test/bench/pace.ts [runs] [part of a limit's name]
// node test/bench/pace.ts virtual [part of a limit's name]   many limits, in virtual time
import { cpus } from 'node:os';
import type { RateLimit } from '../../infra/local/simulator/rate-limit.ts';
import { measurePace } from '../lib/pace/measured-pace.ts';
import { REALISTIC_LIMITS } from '../lib/pace/realistic-limits.ts';
import { type RepeatedExport, repeatExports } from './repeated-exports.ts';

const DEFAULT_RUNS = 5;
const PAGES = 1_000;
const EXPORTS = 3;
const LATENCY_MS = 20;

/** What must hold, as medians: the wall against the ideal, and the share of throttled requests. */
const MAX_FIRST_RATIO = 1.3;
const MAX_RATIO = 1.1;
const MAX_THROTTLED = 0.01;

const VIRTUAL_LATENCIES_MS = [20, 150] as const;
const VIRTUAL_SEEDS = [7, 8, 9] as const;

const LIMITS: readonly (readonly [string, RateLimit])[] = [
  ['token bucket, 50/s, burst 10', { kind: 'token-bucket', ratePerSecond: 50, burst: 10 }],
  ['fixed window, 600 a minute', { kind: 'fixed-window', requests: 600, windowSeconds: 60 }],
];

const [, , runsText = String(DEFAULT_RUNS), wanted = ''] = process.argv;
const problems: string[] = [];
if (runsText === 'virtual') modelAll();
else await measureAll(Number(runsText));
process.exitCode = problems.length === 0 ? 0 : 1;

/** A table in Markdown: the worst of three exports, for a short and a long latency. */
function modelAll(): void {
  process.stdout.write(
    '| Limit | Latency | First export | Second | Third | Throttled in each |\n|---|---|---|---|---|---|\n',
  );
  for (const limit of REALISTIC_LIMITS.filter(({ name }) => name.includes(wanted))) {
    for (const latencyMs of VIRTUAL_LATENCIES_MS) {
      const options = { latencyMs, exports: EXPORTS, seeds: VIRTUAL_SEEDS };
      const { ratios, throttled, early } = measurePace(limit, options);
      const columns = [limit.name, `${latencyMs} ms`, ...ratios.map((each) => each.toFixed(2))];
      process.stdout.write(`| ${columns.join(' | ')} | ${throttled.join(', ')} |\n`);
      if (early > 0) problems.push(`${limit.name}: ${early} early requests`);
    }
  }
}

async function measureAll(runs: number): Promise<void> {
  process.stdout.write(`${PAGES} pages, ${LATENCY_MS} ms latency, medians of ${runs} runs\n`);
  for (const [name, limit] of LIMITS.filter(([each]) => each.includes(wanted))) {
    const all: (readonly RepeatedExport[])[] = [];
    for (let run = 0; run < runs; run++) {
      all.push(
        await repeatExports({ limit, latencyMs: LATENCY_MS, pages: PAGES, exports: EXPORTS }),
      );
    }
    for (let index = 0; index < EXPORTS; index++) {
      report(
        name,
        index,
        all.flatMap((each) => each[index] ?? []),
      );
    }
  }
  process.stdout.write(
    `Node ${process.version}, ${cpus().length} processors\n${problems.map((text) => `FAILED: ${text}\n`).join('')}`,
  );
}

function report(name: string, index: number, exports: readonly RepeatedExport[]): void {
  const ratios = exports.map(({ wallMs, idealMs }) => wallMs / idealMs);
  const ratio = median(ratios);
  const share = median(exports.map(({ throttled, requests }) => throttled / requests));
  const early = Math.max(...exports.map((each) => each.early));
  const wall = median(exports.map(({ wallMs }) => wallMs));
  const ideal = median(exports.map(({ idealMs }) => idealMs));
  const title = `${name}, export ${index + 1}`;
  process.stdout.write(
    `${title.padEnd(42)} ${seconds(wall)} s of ${seconds(ideal)} s  ${ratio.toFixed(3)} (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)})  throttled ${(share * 100).toFixed(2)} %  early ${early}\n`,
  );
  if (ratio > (index === 0 ? MAX_FIRST_RATIO : MAX_RATIO)) problems.push(`${title}: ${ratio}`);
  if (index > 0 && share > MAX_THROTTLED) problems.push(`${title}: ${share} throttled`);
  if (early > 0) problems.push(`${title}: ${early} early requests`);
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1).padStart(6);
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle) - 1] ?? 0)) / 2;
}
