import type { RateLimit } from '../../../infra/simulator/rate-limit.ts';
import type { Task } from '../exporters/task.ts';

/** One limit of the API, and what a perfect exporter would take under it. */
export interface PeerCase {
  readonly name: string;
  readonly title: string;
  /** 100 customers each. */
  readonly pages: number;
  readonly limit: RateLimit;
  readonly latencyMs?: number;
  /** Other options of the simulator's program. */
  readonly options?: readonly string[];
  /** Share of the requests that are throttled whatever the limit, with `Retry-After: 1`. */
  readonly throttledShare?: number;
  /** What those contenders get that are told the limit; absent where there is none. */
  readonly told?: ToldLimit;
  /** Least wall time, ms; absent where the floor tells it: undici, which reads bytes only. */
  readonly idealMs?: number;
  readonly ideal: string;
  /** About how long one export takes, with the start of the API. */
  readonly seconds: number;
  /** How much of the processors one export and its API keep busy meanwhile, in processors. @default it is measured alone */
  readonly processors?: number;
}

interface ToldLimit {
  /** As the table says it. */
  readonly text: string;
  readonly limits?: NonNullable<Task['toldLimits']>;
  /** Requests at the same time. @default 8 */
  readonly atOnce?: number;
  /** For ours, which takes a rate. */
  readonly requestsPerSecond?: number;
}

export const PER_PAGE = 100;
/** Requests at the same time of the peers that take a number. */
export const AT_ONCE = 8;

const LATENCY_MS = 20;
const LONG_LATENCY_MS = 150;
const BUCKET = { kind: 'token-bucket', ratePerSecond: 50, burst: 10 } as const;
const TOLD_BUCKET: ToldLimit = {
  text: '50 a second',
  // No more than the burst at any time.
  limits: [{ requests: 10, perMs: 200 }],
  requestsPerSecond: 50,
};

const LIMITED: readonly PeerCase[] = [
  {
    name: 'rate',
    title: `${LATENCY_MS} ms latency, 50 requests a second (token bucket, burst 10, Retry-After 1 s)`,
    pages: 200,
    limit: BUCKET,
    latencyMs: LATENCY_MS,
    told: TOLD_BUCKET,
    idealMs: ((200 - 10) / 50) * 1000,
    ideal: '(pages - burst) / rate',
    seconds: 7,
    processors: 0.3,
  },
  {
    name: 'window',
    title: `${LATENCY_MS} ms latency, 200 requests in 20 s (fixed window, Retry-After to its end)`,
    pages: 220,
    limit: { kind: 'fixed-window', requests: 200, windowSeconds: 20 },
    latencyMs: LATENCY_MS,
    told: {
      text: '200 in 20 s',
      limits: [{ requests: 200, perMs: 20_000 }],
      requestsPerSecond: 10,
    },
    idealMs: 20_000,
    ideal: 'all of one window at once, the rest at the begin of the next',
    seconds: 23,
    processors: 0.1,
  },
  {
    name: 'headers',
    title: `${LATENCY_MS} ms latency, 100 requests in 10 s, told in each answer (RateLimit headers, draft 8)`,
    pages: 250,
    limit: { kind: 'fixed-window', requests: 100, windowSeconds: 10 },
    latencyMs: LATENCY_MS,
    options: ['--rate-limit-headers=draft-8'],
    told: {
      text: '100 in 10 s',
      limits: [{ requests: 100, perMs: 10_000 }],
      requestsPerSecond: 10,
    },
    idealMs: 20_000,
    ideal: 'two windows and the begin of a third',
    seconds: 24,
    processors: 0.1,
  },
  {
    name: 'at-once',
    title: '100 ms latency, 5 requests at the same time (Retry-After 1 s)',
    pages: 150,
    limit: { kind: 'at-once', requests: 5 },
    latencyMs: 100,
    told: { text: '5 at the same time', atOnce: 5 },
    idealMs: (150 * 100) / 5,
    ideal: 'pages x latency / 5 at once',
    seconds: 10,
    processors: 0.18,
  },
  {
    name: 'two-limits',
    title: `${LATENCY_MS} ms latency, 10 requests a second and 300 a minute (fixed windows)`,
    pages: 350,
    limit: {
      kind: 'all',
      limits: [
        { kind: 'fixed-window', requests: 10, windowSeconds: 1 },
        { kind: 'fixed-window', requests: 300, windowSeconds: 60 },
      ],
    },
    latencyMs: LATENCY_MS,
    told: {
      text: '10 a second, 300 a minute',
      limits: [
        { requests: 10, perMs: 1000 },
        { requests: 300, perMs: 60_000 },
      ],
      requestsPerSecond: 10,
    },
    idealMs: 64_000,
    ideal: '300 in the first minute, then 10 a second',
    seconds: 68,
    processors: 0.05,
  },
  {
    name: 'changing',
    title: `${LATENCY_MS} ms latency, 50 requests a second, after 4 s only 20, after 9 s 50 again (token buckets, burst 10)`,
    pages: 400,
    limit: {
      kind: 'changing',
      steps: [
        { limit: BUCKET, forSeconds: 4 },
        { limit: { ...BUCKET, ratePerSecond: 20 }, forSeconds: 5 },
        { limit: BUCKET, forSeconds: 1 },
      ],
    },
    latencyMs: LATENCY_MS,
    told: { ...TOLD_BUCKET, text: '50 a second, as at the begin' },
    // 10 + 200 in 4 s, 10 + 100 in 5 s, 10 at the change, the rest at 50 a second.
    idealMs: 9000 + ((400 - 330) / 50) * 1000,
    ideal: 'each rate and its burst in its time',
    seconds: 17,
    processors: 0.17,
  },
];

export const CASES: readonly PeerCase[] = [
  {
    name: 'none',
    title: 'No latency, no limit',
    pages: 400,
    limit: { kind: 'none' },
    ideal: `the floor of the same run: undici, bytes only, ${AT_ONCE} at once`,
    seconds: 3,
  },
  {
    name: 'latency',
    title: `${LATENCY_MS} ms latency, no limit`,
    pages: 200,
    limit: { kind: 'none' },
    latencyMs: LATENCY_MS,
    idealMs: (200 * LATENCY_MS) / AT_ONCE,
    ideal: `pages x latency / ${AT_ONCE} at once`,
    seconds: 3,
  },
  {
    name: 'long-latency',
    title: `${LONG_LATENCY_MS} ms latency, no limit`,
    pages: 120,
    limit: { kind: 'none' },
    latencyMs: LONG_LATENCY_MS,
    idealMs: (120 * LONG_LATENCY_MS) / AT_ONCE,
    ideal: `pages x latency / ${AT_ONCE} at once; who asks more at once takes less`,
    seconds: 4,
  },
  ...LIMITED,
  byChance(0.01, 200, { seconds: 5, processors: 0.4 }),
  byChance(0.05, 100, { seconds: 6, processors: 0.25 }),
  byChance(0.2, 60, { seconds: 10, processors: 0.15 }),
];

/** Sequential loops wait for each throttle; what is asked at the same time may wait together. */
function byChance(
  throttledShare: number,
  pages: number,
  takes: Pick<PeerCase, 'seconds' | 'processors'>,
): PeerCase {
  const percent = throttledShare * 100;
  return {
    name: `random-${percent}`,
    title: `No latency, a 429 at random for ${percent} % of the requests (Retry-After 1 s), seeded`,
    pages,
    limit: { kind: 'none' },
    throttledShare,
    idealMs: ((pages * throttledShare) / (1 - throttledShare)) * 1000,
    ideal: 'the expected number of throttles x 1 s, for who asks one page after the other',
    ...takes,
  };
}

/** The options of the simulator's program; each run draws other throttles, the same for all exporters. */
export function simulatorOptionsOf(
  { limit, latencyMs = 0, options = [] }: PeerCase,
  run: number,
): readonly string[] {
  const seed = `--seed=${run + 1}`;
  return [`--limit=${JSON.stringify(limit)}`, `--latency=${latencyMs}`, seed, ...options];
}

/** The fault script of the case, as JSON, for the simulator. */
export function faultsOf({ throttledShare }: PeerCase): string {
  if (throttledShare === undefined) return '[]';
  const fault = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } };
  return JSON.stringify([{ when: { probability: throttledShare }, fault }]);
}
