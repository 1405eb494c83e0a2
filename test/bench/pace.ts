// How close the worker comes to the ideal when it does not know the API's limit: exports of one connection
// in a row, in real time, against the simulated API in its own process. `npm run bench -- pace`.
import type { RateLimit } from '../../infra/simulator/rate-limit.ts';
import { readBenchOptions } from './bench-options.ts';
import { endWith, median, publish, runsText } from './bench-report.ts';
import { type RepeatedExport, repeatExports } from './repeated-exports.ts';
import { spread } from './spread.ts';

const PAGES = 1_000;
const EXPORTS = 3;
const LATENCY_MS = 20;

/** What must hold, as medians: the wall against the ideal, and the share of throttled requests. */
const MAX_FIRST_RATIO = 1.3;
const MAX_RATIO = 1.1;
const MAX_THROTTLED = 0.01;

const LIMITS: Readonly<Record<string, { readonly title: string; readonly limit: RateLimit }>> = {
  bucket: {
    title: 'token bucket, 50/s, burst 10',
    limit: { kind: 'token-bucket', ratePerSecond: 50, burst: 10 },
  },
  window: {
    title: 'fixed window, 600 a minute',
    limit: { kind: 'fixed-window', requests: 600, windowSeconds: 60 },
  },
};

const { runs, only, write } = readBenchOptions('pace', 5, { limits: Object.keys(LIMITS) });
const problems: string[] = [];
const rows: (readonly string[])[] = [];
const results = [];
for (const [name, { title, limit }] of Object.entries(LIMITS)) {
  if (only['limits']?.includes(name) !== true) continue;
  const all: (readonly RepeatedExport[])[] = [];
  for (let run = 0; run < runs; run++) {
    all.push(await repeatExports({ limit, latencyMs: LATENCY_MS, pages: PAGES, exports: EXPORTS }));
  }
  for (let index = 0; index < EXPORTS; index++) {
    const exports = all.flatMap((each) => each[index] ?? []);
    rows.push(rowOf(title, index, exports));
    results.push({ limit: title, export: index + 1, exports });
  }
}
publish(
  {
    name: 'pace',
    command: 'npm run bench -- pace',
    tables: [
      {
        title: `${PAGES} pages, ${LATENCY_MS} ms latency, a limit that nobody told`,
        head: [
          'limit',
          'export',
          'wall s',
          'ideal s',
          'x ideal',
          'min to max',
          'throttled',
          'early',
        ],
        rows,
      },
    ],
    notes: [
      `${runsText(runs)} of ${EXPORTS} exports in a row. The ideal is that of a client that knows the limit and what is left of it. Early: the most of any run.`,
    ],
    results,
  },
  write,
);
endWith(problems);

function rowOf(
  title: string,
  index: number,
  exports: readonly RepeatedExport[],
): readonly string[] {
  const ratio = spread(exports.map(({ wallMs, idealMs }) => wallMs / idealMs));
  const share = median(exports.map(({ throttled, requests }) => throttled / requests));
  const early = Math.max(...exports.map((each) => each.early));
  const name = `${title}, export ${index + 1}`;
  const maxRatio = index === 0 ? MAX_FIRST_RATIO : MAX_RATIO;
  if (ratio.median > maxRatio) problems.push(`${name}: ${ratio.median} times the ideal`);
  if (index > 0 && share > MAX_THROTTLED) problems.push(`${name}: ${share} throttled`);
  if (early > 0) problems.push(`${name}: ${early} early requests`);
  return [
    title,
    `${index + 1}`,
    seconds(median(exports.map(({ wallMs }) => wallMs))),
    seconds(median(exports.map(({ idealMs }) => idealMs))),
    ratio.median.toFixed(3),
    `${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}`,
    `${(share * 100).toFixed(2)} %`,
    `${early}`,
  ];
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
