// How much longer the whole local stack takes (SQS, DynamoDB, S3, functions in processes of their own) than
// the same worker writing straight to files: `npm run bench -- pipeline`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { exportList } from './export-list.ts';
import { bundleExporter, type Exporter } from './exporter-process.ts';
import type { Usage } from './exporters/task.ts';
import { measureExport } from './measured-export.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

/** A short list is over sooner, and chance moves its ratio more: it is measured more often. */
const LISTS = [
  { pages: 1_000, pairsPerRun: 3 },
  { pages: 3_000, pairsPerRun: 1 },
  { pages: 10_000, pairsPerRun: 1 },
];
const PER_PAGE = 100;
const LATENCY_MS = 20;
/** Of every list without the start of processes; with it, of those that are long beside that start. */
const MAX_RATIO = 1.25;
const BOUNDED_WITH_START_FROM_PAGES = 3_000;

const { runs, write } = readBenchOptions('pipeline', 5);
const folder = await mkdtemp(join(tmpdir(), 'pipeline-'));
try {
  const worker = bundleExporter('ours', folder);
  const rows: (readonly string[])[] = [];
  const results = [];
  const bounded: number[] = [];
  for (const { pages, pairsPerRun } of LISTS) {
    const runsOf: Run[] = [];
    for (let pair = 0; pair < runs * pairsPerRun; pair++) {
      const { wallMs, workMs } = await toFiles(worker, pages);
      const cold = { filesMs: wallMs, stackMs: await stackMs(pages, false) };
      runsOf.push({ cold, warm: { filesMs: workMs, stackMs: await stackMs(pages, true) } });
    }
    const [cold, warm] = [runsOf.map((run) => run.cold), runsOf.map((run) => run.warm)];
    bounded.push(ratioOf(warm).median);
    if (pages >= BOUNDED_WITH_START_FROM_PAGES) bounded.push(ratioOf(cold).median);
    rows.push(row(pages, 'in it', cold), row(pages, 'before', warm));
    results.push({ pages, runs: runsOf });
  }
  publish(
    {
      name: 'pipeline',
      command: 'npm run bench -- pipeline',
      tables: [
        {
          title: `Pages of ${PER_PAGE} customers, ${LATENCY_MS} ms latency, no limit`,
          head: [
            'pages',
            'pairs',
            'start of processes',
            'worker to files, s',
            'whole local stack, s',
            'ratio',
            'min to max',
          ],
          rows,
        },
      ],
      notes: [
        `Medians. The export begins with the call that starts it. In it: with the start of the worker's process, and in the stack also of the function that starts exports.`,
      ],
      results,
    },
    write,
  );
  process.exitCode = Math.max(...bounded) <= MAX_RATIO ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface Pair {
  readonly filesMs: number;
  readonly stackMs: number;
}

/** With the start of the processes, and without. */
interface Run {
  readonly cold: Pair;
  readonly warm: Pair;
}

async function toFiles(worker: Exporter, pages: number): Promise<Usage> {
  const api = await startApi({
    customers: pages * PER_PAGE,
    perPage: PER_PAGE,
    latencyMs: LATENCY_MS,
  });
  return exportList(worker, api, { pages, perPage: PER_PAGE }).finally(api.stop);
}

async function stackMs(pages: number, isWarm: boolean): Promise<number> {
  const { state, wallMs } = await measureExport(pages * PER_PAGE, PER_PAGE, {
    limit: ['--rate=none', `--latency=${LATENCY_MS}`],
    isWarm,
  });
  if (state.status !== 'completed') throw new Error(`The export ended ${state.status}.`);
  return wallMs;
}

function ratioOf(pairs: readonly Pair[]) {
  return spread(pairs.map(({ filesMs, stackMs: ms }) => ms / filesMs));
}

function row(pages: number, start: string, pairs: readonly Pair[]): readonly string[] {
  const ratio = ratioOf(pairs);
  return [
    pages.toLocaleString('en-US'),
    String(pairs.length),
    start,
    seconds(pairs.map(({ filesMs }) => filesMs)),
    seconds(pairs.map(({ stackMs: ms }) => ms)),
    ratio.median.toFixed(2),
    `${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}`,
  ];
}

function seconds(values: readonly number[]): string {
  return (spread(values).median / 1000).toFixed(2);
}
