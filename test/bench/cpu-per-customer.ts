// CPU time a customer of our export beside the plain ky loop's and a raw read's, in turns so that all meet the same machine:
// `npm run bench -- cpu-per-customer`. A process compiles its code while it reads the first pages, so the length of the
// list matters: `--pages 1000` measures a short one.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readBenchOptions } from './bench-options.ts';
import { endWith, publish, runsText } from './bench-report.ts';
import { exportList, type ListTask } from './export-list.ts';
import { bundleExporter, runExporter } from './exporter-process.ts';
import type { Usage } from './exporters/task.ts';
import { startApi } from './simulated-api.ts';
import { spread } from './spread.ts';
import type { ApiProcess } from './start-api.ts';

const NAME = 'cpu-per-customer';
const [SHORT, LONG] = ['1000', '5000'];
/** A shorter list is over before most of the code is compiled: it is measured, and has no bound of CPU time. */
const BOUND_FROM_PAGES = Number(LONG);
const PER_PAGE = 100;
/** Of the plain loop: what one gets who sets none (`Z_DEFAULT_COMPRESSION`). Our parts have their own. */
const ZLIB_DEFAULT_LEVEL = 6;
const MICROS_PER_MS = 1000;
const BYTES_PER_MIB = 1024 * 1024;
const [API_PROCESSOR, WORK_PROCESSOR] = [0, 1];
const MAX_PEAK_BYTES = 160_000_000;

interface Contender {
  readonly title: string;
  readonly role: 'raw read' | 'loop' | 'ours';
  /** Of the CPU time of the loop, where one is kept. */
  readonly maxRatio?: number;
  readonly measure: () => Promise<Usage>;
}

interface Measured extends Contender {
  /** One of each run. */
  readonly usages: readonly Usage[];
  /** CPU time by that of the loop, the median of the runs. */
  readonly toLoop: number;
  /** The same by that of the raw read. */
  readonly toRaw: number;
}

const { runs, only, write } = readBenchOptions(
  NAME,
  7,
  { pages: [SHORT, LONG] },
  { pages: [LONG] },
);
const problems: string[] = [];
for (const length of only['pages'] ?? []) {
  const pages = Number(length);
  const measured = await measureList(pages);
  report(length === LONG ? NAME : `${NAME}-${length}`, pages, measured);
  problems.push(...measured.flatMap(problemsOf));
}
endWith(problems);

async function measureList(pages: number): Promise<readonly Measured[]> {
  const folder = await mkdtemp(join(tmpdir(), 'cpu-per-customer-'));
  const customers = pages * PER_PAGE;
  const api = await startApi({ customers, perPage: PER_PAGE, processor: API_PROCESSOR });
  try {
    const contenders = contendersOf(api, pages, folder);
    const usages = new Map<Contender, Usage[]>(contenders.map((each) => [each, []]));
    // The first run also makes the API's pages.
    for (const each of contenders) await each.measure();
    for (let run = 0; run < runs; run++) {
      for (const each of contenders) usages.get(each)?.push(await each.measure());
    }
    return compared(usages);
  } finally {
    await api.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

function contendersOf(api: ApiProcess, pages: number, folder: string): readonly Contender[] {
  const work = { pages, perPage: PER_PAGE, gzipLevel: ZLIB_DEFAULT_LEVEL };
  const plain = bundleExporter('ky-loop', folder);
  const worker = bundleExporter('ours', folder);
  const exported = (exporter: typeof plain, more: Partial<ListTask> = {}) =>
    exportList(exporter, api, { ...work, ...more }, WORK_PROCESSOR);
  // It stores nothing, so there is nothing to count.
  const raw = bundleExporter('raw-read', folder);
  const bound = (maxRatio: number) => (pages >= BOUND_FROM_PAGES ? { maxRatio } : {});
  const rawTask = { baseUrl: api.url, ...work, out: folder, memory: '', concurrency: 1 };
  return [
    {
      title: 'raw read by https, thrown away',
      role: 'raw read',
      measure: () => runExporter(raw, rawTask, { ca: api.ca, processor: WORK_PROCESSOR }),
    },
    { title: 'plain ky loop, gzip 6', role: 'loop', measure: () => exported(plain) },
    { title: 'ours, verified walk (the default)', role: 'ours', measure: () => exported(worker) },
    {
      title: 'ours, walk: fast, as many requests as the loop',
      role: 'ours',
      ...bound(0.7),
      measure: () => exported(worker, { walk: 'fast' }),
    },
    {
      title: 'the same with compression: zstd',
      role: 'ours',
      ...bound(0.5),
      measure: () => exported(worker, { walk: 'fast', compression: 'zstd' }),
    },
  ];
}

function compared(usages: ReadonlyMap<Contender, readonly Usage[]>): readonly Measured[] {
  const all = [...usages];
  const ratio = (own: readonly Usage[], role: Contender['role']) => {
    const [, others = []] = all.find(([contender]) => contender.role === role) ?? [];
    return spread(own.map(({ cpuMs }, run) => cpuMs / (others[run]?.cpuMs ?? 0))).median;
  };
  return all.map(([contender, own]) => ({
    ...contender,
    usages: own,
    toLoop: ratio(own, 'loop'),
    toRaw: ratio(own, 'raw read'),
  }));
}

function report(name: string, pages: number, measured: readonly Measured[]): void {
  const option = name === NAME ? '' : ` --pages ${pages}`;
  publish(
    {
      name,
      command: `npm run bench -- ${NAME}${option}`,
      tables: [
        {
          title: `${pages.toLocaleString('en-US')} pages of ${PER_PAGE} customers, no latency, no limit`,
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
          rows: measured.map((each) => rowOf(each, pages)),
        },
      ],
      notes: [
        `User and system time of the whole process, from its start, on one processor. ${runsText(runs)}; a ratio is that of two in the same turn, and so is a bound. The raw read, the loop and the fast walk ask for each page once, so these are compared like for like; a verified walk asks for more pages, so that nothing is missed while the list moves.`,
      ],
      results: measured.map(({ title, usages }) => ({ title, usages })),
    },
    write,
  );
}

function rowOf({ title, usages, maxRatio, toLoop, toRaw }: Measured, pages: number) {
  const cpuMs = spread(usages.map((usage) => usage.cpuMs));
  const perCustomer = (ms: number) => ((ms * MICROS_PER_MS) / (pages * PER_PAGE)).toFixed(1);
  const memory = spread(usages.map((usage) => usage.peakMemoryBytes / BYTES_PER_MIB));
  const wallMs = spread(usages.map((usage) => usage.workMs));
  return [
    title,
    perCustomer(cpuMs.median),
    `${perCustomer(cpuMs.least)} to ${perCustomer(cpuMs.most)}`,
    toLoop.toFixed(2),
    maxRatio?.toFixed(2) ?? '-',
    toRaw.toFixed(1),
    memory.median.toFixed(0),
    (wallMs.median / 1000).toFixed(2),
  ];
}

function problemsOf({ title, role, usages, maxRatio, toLoop }: Measured): readonly string[] {
  if (role !== 'ours') return [];
  const peakBytes = spread(usages.map((usage) => usage.peakMemoryBytes)).median;
  return [
    ...(toLoop <= (maxRatio ?? Number.POSITIVE_INFINITY)
      ? []
      : [`${title}: ${toLoop.toFixed(2)} x the loop, not ${maxRatio}`]),
    ...(peakBytes <= MAX_PEAK_BYTES
      ? []
      : [`${title}: a peak of ${(peakBytes / 1e6).toFixed(0)} MB, not ${MAX_PEAK_BYTES / 1e6}`]),
  ];
}
