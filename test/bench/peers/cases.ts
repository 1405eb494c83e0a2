/** One limit of the API, and what a perfect exporter would take under it. */
export interface PeerCase {
  readonly name: string;
  readonly title: string;
  /** 100 customers each. */
  readonly pages: number;
  /** Options of the simulator, besides the number of customers. */
  readonly simulator: (run: number) => readonly string[];
  /** For exporters that take a number of requests at once. */
  readonly concurrency: number;
  /** For exporters that are told the rate; absent when there is none that it would help to know. */
  readonly requestsPerSecond?: number;
  /** Least wall time, ms; absent where only the floor, undici, tells. */
  readonly idealMs?: number;
  readonly ideal: string;
  /** All of it is waiting, so all runs may wait at the same time. */
  readonly isOverlapped?: true;
  /** About how long one run of all exporters takes. */
  readonly secondsARun: number;
}

export const PER_PAGE = 100;
const LATENCY_MS = 20;
const AT_ONCE = 8;
const RATE = 50;
const BURST = 10;
const WINDOW_REQUESTS = 600;
const WINDOW_SECONDS = 60;
const SHARE_THROTTLED = 0.05;

export const CASES: readonly PeerCase[] = [
  {
    name: 'none',
    title: 'No latency, no limit',
    pages: 1000,
    simulator: () => ['--rate=none'],
    concurrency: AT_ONCE,
    ideal: 'the floor of the same run: undici, bytes only, 8 at once',
    secondsARun: 22,
  },
  {
    name: 'latency',
    title: `${LATENCY_MS} ms latency, no limit`,
    pages: 300,
    simulator: () => ['--rate=none', `--latency=${LATENCY_MS}`],
    concurrency: AT_ONCE,
    idealMs: (300 * LATENCY_MS) / AT_ONCE,
    ideal: `pages x latency / ${AT_ONCE} at once`,
    secondsARun: 45,
  },
  {
    name: 'rate',
    title: `${LATENCY_MS} ms latency, ${RATE} requests a second (token bucket, burst ${BURST}, Retry-After 1 s)`,
    pages: 200,
    simulator: () => [`--rate=${RATE}`, `--burst=${BURST}`, `--latency=${LATENCY_MS}`],
    concurrency: 1,
    requestsPerSecond: RATE,
    idealMs: ((200 - BURST) / RATE) * 1000,
    ideal: '(pages - burst) / rate',
    secondsARun: 120,
  },
  {
    name: 'window',
    title: `${LATENCY_MS} ms latency, ${WINDOW_REQUESTS} requests a minute (fixed window, Retry-After to its end)`,
    pages: WINDOW_REQUESTS + 20,
    simulator: () => [
      `--rate=${WINDOW_REQUESTS}`,
      `--window=${WINDOW_SECONDS}`,
      `--latency=${LATENCY_MS}`,
    ],
    concurrency: AT_ONCE,
    idealMs: WINDOW_SECONDS * 1000,
    ideal: 'all of one window at once, the rest at the begin of the next',
    isOverlapped: true,
    secondsARun: 50,
  },
  {
    name: 'random',
    title: `No latency, a 429 at random for ${SHARE_THROTTLED * 100} % of the requests (Retry-After 1 s), seeded`,
    pages: 100,
    // Another seed for each run, the same for all exporters.
    simulator: (run) => ['--rate=none', `--seed=${run + 1}`],
    concurrency: 1,
    idealMs: ((100 * SHARE_THROTTLED) / (1 - SHARE_THROTTLED)) * 1000,
    ideal: 'the expected number of throttles x 1 s',
    secondsARun: 55,
  },
];

/** The fault script of the case, as JSON, for the simulator. */
export function faultsOf({ name }: PeerCase): string {
  if (name !== 'random') return '[]';
  const fault = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } };
  return JSON.stringify([{ when: { probability: SHARE_THROTTLED }, fault }]);
}
