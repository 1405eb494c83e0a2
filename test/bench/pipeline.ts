// How much longer the whole local stack takes (SQS, DynamoDB, S3, functions in processes of their own) than
// the same worker writing straight to files: `npm run bench -- pipeline`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { exportList } from './export-list.ts';
import { bundleExporter } from './exporter-process.ts';
import { measureExport } from './measured-export.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = 1_000;
const PER_PAGE = 100;
const LATENCY_MS = 20;
const MAX_RATIO = 1.25;

const { runs, write } = readBenchOptions('pipeline', 5);
const folder = await mkdtemp(join(tmpdir(), 'pipeline-'));
try {
  const worker = bundleExporter('ours', folder);
  const pairs: { readonly files: number; readonly stack: number }[] = [];
  for (let run = 0; run < runs; run++) {
    pairs.push({ files: await filesMs(worker), stack: await stackMs() });
  }
  const ratio = spread(pairs.map(({ files, stack }) => stack / files));
  publish(
    {
      name: 'pipeline',
      command: 'npm run bench -- pipeline',
      tables: [
        {
          title: `${PAGES} pages of ${PER_PAGE} customers, ${LATENCY_MS} ms latency, no limit`,
          head: ['', 'wall s', 'min to max'],
          rows: [
            ['worker to files', ...seconds(pairs.map(({ files }) => files))],
            ['whole local stack', ...seconds(pairs.map(({ stack }) => stack))],
          ],
        },
      ],
      notes: [
        `The stack takes ${ratio.median.toFixed(2)} times as long (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}): the median of ${runs} pairs.`,
      ],
      results: pairs,
    },
    write,
  );
  process.exitCode = ratio.median <= MAX_RATIO ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** With the start of the process, as the stack has to start its functions. */
async function filesMs(worker: Parameters<typeof exportList>[0]): Promise<number> {
  const api = await startApi({
    customers: PAGES * PER_PAGE,
    perPage: PER_PAGE,
    latencyMs: LATENCY_MS,
  });
  const work = { pages: PAGES, perPage: PER_PAGE };
  const { wallMs } = await exportList(worker, api, work).finally(api.stop);
  return wallMs;
}

async function stackMs(): Promise<number> {
  const { state, wallMs } = await measureExport(PAGES * PER_PAGE, PER_PAGE, {
    limit: ['--rate=none', `--latency=${LATENCY_MS}`],
  });
  if (state.status !== 'completed') throw new Error(`The export ended ${state.status}.`);
  return wallMs;
}

function seconds(values: readonly number[]): readonly string[] {
  const { least, median, most } = spread(values.map((ms) => ms / 1000));
  return [median.toFixed(2), `${least.toFixed(2)} to ${most.toFixed(2)}`];
}
