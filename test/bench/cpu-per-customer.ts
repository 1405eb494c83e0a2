// CPU time a customer of our worker beside the plain ky loop's and a raw read's, in turns so that all meet the same machine:
// `npm run bench -- cpu-per-customer`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { exportList } from './export-list.ts';
import { bundleExporter, runExporter } from './exporter-process.ts';
import type { Usage } from './exporters/task.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = 1_000;
const PER_PAGE = 100;
/** Of the plain loop: what one gets who sets none (`Z_DEFAULT_COMPRESSION`). Our worker has its own. */
const ZLIB_DEFAULT_LEVEL = 6;
const MICROS_PER_MS = 1000;
const BYTES_PER_MIB = 1024 * 1024;
const [API_PROCESSOR, WORK_PROCESSOR] = [0, 1];
/** Of the plain loop's CPU time. */
const MAX_RATIO = 0.7;
const MAX_PEAK_BYTES = 160_000_000;

const { runs, write } = readBenchOptions('cpu-per-customer', 7);
const folder = await mkdtemp(join(tmpdir(), 'cpu-per-customer-'));
const api = await startApi({
  customers: PAGES * PER_PAGE,
  perPage: PER_PAGE,
  processor: API_PROCESSOR,
});
try {
  const plain = bundleExporter('ky-loop', folder);
  const worker = bundleExporter('ours', folder);
  const work = { pages: PAGES, perPage: PER_PAGE, gzipLevel: ZLIB_DEFAULT_LEVEL };
  const usageOf = (exporter: typeof plain) => exportList(exporter, api, work, WORK_PROCESSOR);
  // It stores nothing, so there is nothing to count.
  const raw = bundleExporter('raw-read', folder);
  const rawTask = { baseUrl: api.url, ...work, out: folder, memory: '', concurrency: 1 };
  const readRaw = () => runExporter(raw, rawTask, { ca: api.ca, processor: WORK_PROCESSOR });
  // The first run also makes the API's pages.
  await usageOf(plain);
  await usageOf(worker);
  const pairs: Readonly<Record<'plain' | 'worker' | 'raw', Usage>>[] = [];
  for (let run = 0; run < runs; run++) {
    pairs.push({
      plain: await usageOf(plain),
      worker: await usageOf(worker),
      raw: await readRaw(),
    });
  }
  const ratio = spread(pairs.map((pair) => pair.worker.cpuMs / pair.plain.cpuMs));
  const rawRatio = spread(pairs.map((pair) => pair.worker.cpuMs / pair.raw.cpuMs));
  publish(
    {
      name: 'cpu-per-customer',
      command: 'npm run bench -- cpu-per-customer',
      tables: [
        {
          title: `${PAGES} pages of ${PER_PAGE} customers, no latency, no limit`,
          head: ['', 'µs CPU a customer', 'min to max', 'peak RSS MiB', 'wall s'],
          rows: [
            rowOf(
              'raw read by https, thrown away',
              pairs.map((pair) => pair.raw),
            ),
            rowOf(
              'plain ky loop, gzip 6',
              pairs.map((pair) => pair.plain),
            ),
            rowOf(
              'our worker',
              pairs.map((pair) => pair.worker),
            ),
          ],
        },
      ],
      notes: [
        `The worker takes ${ratio.median.toFixed(2)} times the CPU time of the loop (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}): the median of ${runs} pairs; ${rawRatio.median.toFixed(1)} times that of the raw read. User and system time of the whole process, from its start, on one processor.`,
      ],
      results: pairs,
    },
    write,
  );
  const peakBytes = spread(pairs.map((pair) => pair.worker.peakMemoryBytes)).median;
  process.exitCode = ratio.median <= MAX_RATIO && peakBytes <= MAX_PEAK_BYTES ? 0 : 1;
} finally {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
}

function rowOf(name: string, usages: readonly Usage[]): readonly string[] {
  const cpuMs = spread(usages.map((usage) => usage.cpuMs));
  const perCustomer = (ms: number) => ((ms * MICROS_PER_MS) / (PAGES * PER_PAGE)).toFixed(1);
  const memory = spread(usages.map((usage) => usage.peakMemoryBytes / BYTES_PER_MIB));
  const wallMs = spread(usages.map((usage) => usage.workMs));
  return [
    name,
    perCustomer(cpuMs.median),
    `${perCustomer(cpuMs.least)} to ${perCustomer(cpuMs.most)}`,
    memory.median.toFixed(0),
    (wallMs.median / 1000).toFixed(2),
  ];
}
