// How much longer the whole local stack takes (SQS, DynamoDB, S3, functions in processes of their own) than
// the same worker writing straight to files: `npm run bench -- pipeline`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { exportList } from './export-list.ts';
import { bundleExporter, type Exporter } from './exporter-process.ts';
import { measureExport } from './measured-export.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

/** With the short list most of the difference is the start of two functions, which a long one pays once too. */
const PAGES = [1_000, 3_000];
const PER_PAGE = 100;
const LATENCY_MS = 20;
/** For the long list. */
const MAX_RATIO = 1.25;

const { runs, write } = readBenchOptions('pipeline', 5);
const folder = await mkdtemp(join(tmpdir(), 'pipeline-'));
try {
  const worker = bundleExporter('ours', folder);
  const rows: (readonly string[])[] = [];
  const results = [];
  let latestRatio = 0;
  for (const pages of PAGES) {
    const pairs: { readonly files: number; readonly stack: number }[] = [];
    for (let run = 0; run < runs; run++) {
      pairs.push({ files: await filesMs(worker, pages), stack: await stackMs(pages) });
    }
    const ratio = spread(pairs.map(({ files, stack }) => stack / files));
    latestRatio = ratio.median;
    rows.push([
      pages.toLocaleString('en-US'),
      seconds(pairs.map(({ files }) => files)),
      seconds(pairs.map(({ stack }) => stack)),
      ratio.median.toFixed(2),
      `${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}`,
    ]);
    results.push({ pages, pairs });
  }
  publish(
    {
      name: 'pipeline',
      command: 'npm run bench -- pipeline',
      tables: [
        {
          title: `Pages of ${PER_PAGE} customers, ${LATENCY_MS} ms latency, no limit`,
          head: ['pages', 'worker to files, s', 'whole local stack, s', 'ratio', 'min to max'],
          rows,
        },
      ],
      notes: [
        `Medians of ${runs} pairs, from the start of the process and from the call that starts the export.`,
      ],
      results,
    },
    write,
  );
  process.exitCode = latestRatio <= MAX_RATIO ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** With the start of the process, as the stack has to start its functions. */
async function filesMs(worker: Exporter, pages: number): Promise<number> {
  const api = await startApi({
    customers: pages * PER_PAGE,
    perPage: PER_PAGE,
    latencyMs: LATENCY_MS,
  });
  const work = { pages, perPage: PER_PAGE };
  const { wallMs } = await exportList(worker, api, work).finally(api.stop);
  return wallMs;
}

async function stackMs(pages: number): Promise<number> {
  const { state, wallMs } = await measureExport(pages * PER_PAGE, PER_PAGE, {
    limit: ['--rate=none', `--latency=${LATENCY_MS}`],
  });
  if (state.status !== 'completed') throw new Error(`The export ended ${state.status}.`);
  return wallMs;
}

function seconds(values: readonly number[]): string {
  return (spread(values).median / 1000).toFixed(2);
}
