// CPU time a customer of our export beside the plain ky loop's and a raw read's, in turns so that all meet the same machine:
// `npm run bench -- cpu-per-customer`.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { exportList, type ListTask } from './export-list.ts';
import { bundleExporter, runExporter } from './exporter-process.ts';
import type { Usage } from './exporters/task.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';

const PAGES = 1_000;
const PER_PAGE = 100;
/** Of the plain loop: what one gets who sets none (`Z_DEFAULT_COMPRESSION`). Our parts have their own. */
const ZLIB_DEFAULT_LEVEL = 6;
const MICROS_PER_MS = 1000;
const BYTES_PER_MIB = 1024 * 1024;
const [API_PROCESSOR, WORK_PROCESSOR] = [0, 1];
const MAX_PEAK_BYTES = 160_000_000;

const WORK = { pages: PAGES, perPage: PER_PAGE, gzipLevel: ZLIB_DEFAULT_LEVEL };

interface Measured {
  readonly title: string;
  /** Of the CPU time of the loop, where one is kept. */
  readonly maxRatio?: number;
  readonly measure: () => Promise<Usage>;
}

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
  const exported = (exporter: typeof plain, more: Partial<ListTask> = {}) =>
    exportList(exporter, api, { ...WORK, ...more }, WORK_PROCESSOR);
  // It stores nothing, so there is nothing to count.
  const raw = bundleExporter('raw-read', folder);
  const rawTask = { baseUrl: api.url, ...WORK, out: folder, memory: '', concurrency: 1 };
  const loop: Measured = { title: 'plain ky loop, gzip 6', measure: () => exported(plain) };
  const ours: readonly Measured[] = [
    { title: 'ours, verified walk (the default)', measure: () => exported(worker) },
    {
      title: 'ours, walk: fast, as many requests as the loop',
      maxRatio: 0.7,
      measure: () => exported(worker, { walk: 'fast' }),
    },
    {
      title: 'the same with compression: zstd',
      maxRatio: 0.5,
      measure: () => exported(worker, { walk: 'fast', compression: 'zstd' }),
    },
  ];
  const readRaw: Measured = {
    title: 'raw read by https, thrown away',
    measure: () => runExporter(raw, rawTask, { ca: api.ca, processor: WORK_PROCESSOR }),
  };
  const all = [readRaw, loop, ...ours];
  const usages = new Map<Measured, Usage[]>(all.map((each) => [each, []]));
  const usagesOf = (each: Measured) => usages.get(each) ?? [];
  // The first run also makes the API's pages.
  for (const each of all) await each.measure();
  for (let run = 0; run < runs; run++) {
    for (const each of all) usagesOf(each).push(await each.measure());
  }
  const ratioOf = (each: Measured, to: Measured) =>
    spread(usagesOf(each).map(({ cpuMs }, run) => cpuMs / (usagesOf(to)[run]?.cpuMs ?? 0)));
  publish(
    {
      name: 'cpu-per-customer',
      command: 'npm run bench -- cpu-per-customer',
      tables: [
        {
          title: `${PAGES} pages of ${PER_PAGE} customers, no latency, no limit`,
          head: [
            '',
            'µs CPU a customer',
            'min to max',
            'x the loop',
            'bound',
            'x raw',
            'peak RSS MiB',
            'wall s',
          ],
          rows: all.map((each) => {
            const { cpu, range, memory, wall } = cellsOf(usagesOf(each));
            const ratio = ratioOf(each, loop).median.toFixed(2);
            const rawRatio = ratioOf(each, readRaw).median.toFixed(1);
            const bound = each.maxRatio?.toFixed(2) ?? '-';
            return [each.title, cpu, range, ratio, bound, rawRatio, memory, wall];
          }),
        },
      ],
      notes: [
        `User and system time of the whole process, from its start, on one processor. Ratios are medians of ${runs} pairs, a bound is one of them. The raw read, the loop and the fast walk ask for each page once, so these are compared like for like; a verified walk asks for more pages, so that nothing is missed while the list moves.`,
      ],
      results: all.map((each) => ({ title: each.title, usages: usagesOf(each) })),
    },
    write,
  );
  const problems = ours.flatMap((each) => {
    const ratio = ratioOf(each, loop).median;
    const peakBytes = spread(usagesOf(each).map((usage) => usage.peakMemoryBytes)).median;
    const { title, maxRatio = Number.POSITIVE_INFINITY } = each;
    return [
      ...(ratio <= maxRatio ? [] : [`${title}: ${ratio.toFixed(2)} x the loop, not ${maxRatio}`]),
      ...(peakBytes <= MAX_PEAK_BYTES
        ? []
        : [`${title}: a peak of ${(peakBytes / 1e6).toFixed(0)} MB, not ${MAX_PEAK_BYTES / 1e6}`]),
    ];
  });
  for (const problem of problems) process.stderr.write(`FAILED: ${problem}\n`);
  process.exitCode = problems.length === 0 ? 0 : 1;
} finally {
  await api.stop();
  await rm(folder, { recursive: true, force: true });
}

function cellsOf(usages: readonly Usage[]) {
  const cpuMs = spread(usages.map((usage) => usage.cpuMs));
  const perCustomer = (ms: number) => ((ms * MICROS_PER_MS) / (PAGES * PER_PAGE)).toFixed(1);
  const memory = spread(usages.map((usage) => usage.peakMemoryBytes / BYTES_PER_MIB));
  const wallMs = spread(usages.map((usage) => usage.workMs));
  return {
    cpu: perCustomer(cpuMs.median),
    range: `${perCustomer(cpuMs.least)} to ${perCustomer(cpuMs.most)}`,
    memory: memory.median.toFixed(0),
    wall: (wallMs.median / 1000).toFixed(2),
  };
}
