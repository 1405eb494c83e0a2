// Time, memory and cost of comparing two exports, beside the obvious way with all records in memory:
// `npm run bench -- changes`. Fails when a comparison takes more memory than it may.
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { PRICES } from '../../infra/cost/prices.ts';
import { customerSource } from '../../infra/simulator/customers.ts';
import { storeJson } from '../../lib/exports/store-objects.ts';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { bundleExporter, outputOf } from './exporter-process.ts';
import { spread } from './spread.ts';

/** 500 pages of 100, the most of a part by default. */
const RECORDS_A_PART = 50_000;
const MAX_PEAK_BYTES = 200_000_000;
const BYTES_PER_MB = 1e6;
/** Of the function that compares (infra/constructs/exports/describe-exports.ts). */
const GIB = 1;
/** Memory at which Lambda gives one vCPU (developer guide, "Configure function memory"). */
const PROCESSORS = 1024 / 1769;
/** Of a request to S3, one after another; indexes are read 16 at the same time. */
const STORE_SECONDS = 0.02;
const HUGE_RECORDS = 20;
const EXTRAPOLATED = 10_000_000;

const customers = customerSource(1, 0);
interface List {
  readonly title: string;
  readonly records: number;
  /** Of a record of the later export: the version of it there; `undefined` where it is gone. */
  readonly versionOf: (n: number) => number | undefined;
  /** Records of the later export alone. */
  readonly added: number;
  readonly recordOf: (n: number, version: number) => string;
}

/** A third of the share each: changed, removed and added. */
function listOf(records: number, percent: number): List {
  const every = (3 * 100) / percent;
  return {
    title: `${records.toLocaleString('en')}, ${percent} % changed`,
    records,
    versionOf: (n) => (n % every === 0 ? 2 : n % every === 1 ? undefined : 1),
    added: Math.floor(records / every),
    recordOf: customers.textOf,
  };
}

const LISTS: readonly List[] = [
  listOf(200_000, 1),
  listOf(1_000_000, 1),
  {
    ...listOf(1_000_000, 1),
    title: '1,000,000, all changed',
    versionOf: () => 2,
    added: 0,
  },
  {
    title: '20 records of 16 MB, all changed',
    records: HUGE_RECORDS,
    versionOf: () => 2,
    added: 0,
    recordOf: (n, version) =>
      `{"id":${n},"text":"${'x'.repeat(8e6)}","many":[${`{"a":${version}},`.repeat(9e5)}0]}`,
  },
];

const UsageSchema = v.object({
  changes: v.number(),
  elapsedMs: v.number(),
  cpuMs: v.number(),
  peakBytes: v.number(),
  puts: v.number(),
  gets: v.number(),
});
type Usage = v.InferOutput<typeof UsageSchema>;

const WAYS = ['describe', 'index', 'compare', 'maps'] as const;
const NAMES: Readonly<Record<(typeof WAYS)[number], string>> = {
  describe: 'description alone',
  index: 'description with index',
  compare: 'comparison',
  maps: 'both in maps',
};

const { runs, write } = readBenchOptions('changes', 3);
const folder = await mkdtemp(join(tmpdir(), 'changes-'));
try {
  const comparer = bundleExporter('list-comparer', folder);
  // The maps need more than any function of this stack has.
  const unbounded = { ...comparer, environment: { NODE_OPTIONS: '--max-old-space-size=12000' } };
  const results = [];
  for (const list of LISTS) {
    const bucket = join(folder, 'bucket');
    const before = await storeExport(bucket, 'older', list, (n) => n < list.records && 1);
    const now = await storeExport(bucket, 'newer', list, (n) =>
      n < list.records ? list.versionOf(n) : 1,
    );
    // The index of the earlier export is there, as its own description wrote it.
    await outputOf(comparer, { way: 'index', folder: bucket, before, now: before }, { ca: '' });
    const usages: Record<string, Usage[]> = {};
    for (let run = 0; run < runs; run++) {
      for (const way of WAYS) {
        const task = { way, folder: bucket, before, now };
        const output = await outputOf(way === 'maps' ? unbounded : comparer, task, { ca: '' });
        usages[way] = [...(usages[way] ?? []), v.parse(UsageSchema, JSON.parse(output))];
      }
    }
    const found = new Set(
      ['compare', 'maps'].flatMap((way) => usages[way] ?? []).map(({ changes }) => changes),
    );
    if (found.size !== 1) throw new Error(`The ways found ${[...found].join(' and ')} changes.`);
    results.push({ title: list.title, records: list.records, usages });
    await rm(bucket, { recursive: true });
    process.stderr.write(`${list.title}\n`);
  }
  // Records of 16 MB are in memory as a whole, several at a time.
  const peaks = results
    .filter(({ records }) => records > HUGE_RECORDS)
    .flatMap(({ usages }) => usages['compare'] ?? [])
    .map(({ peakBytes }) => peakBytes);
  const isWithin = Math.max(...peaks) <= MAX_PEAK_BYTES;
  const [smaller, larger] = results;
  publish(
    {
      name: 'changes',
      command: 'npm run bench -- changes',
      tables: [
        {
          title: 'Two exports compared, beside the obvious way',
          head: [
            'records in each',
            'way',
            'changes',
            's',
            'CPU s',
            'peak RSS MB',
            'S3 requests',
            'USD',
          ],
          rows: results.flatMap(({ title, usages }) =>
            WAYS.map((way) => [title, NAMES[way], ...figuresOf(usages[way] ?? [])]),
          ),
        },
      ],
      notes: [
        `${runsText(runs)}, and of the memory the most; each in a process of its own, from files. The bound of a comparison of customers is ${MAX_PEAK_BYTES / BYTES_PER_MB} MB. USD: CPU time on ${PROCESSORS.toFixed(2)} processors of a function with 1,024 MiB, 20 ms for each request to S3 as if none ran at the same time, and the requests.`,
        ...(smaller && larger ? [extrapolated(smaller, larger)] : []),
      ],
      results,
    },
    write,
  );
  if (!isWithin) {
    process.stdout.write(`FAILED: a comparison took ${megabytes(Math.max(...peaks))} MB\n`);
  }
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

/** @returns The key of its manifest. */
async function storeExport(
  bucket: string,
  exportId: string,
  { records, added, recordOf }: List,
  versionOf: (n: number) => number | undefined | false,
): Promise<string> {
  const prefix = `exports/connection=acme/list=customers/export=${exportId}/`;
  await mkdir(join(bucket, prefix), { recursive: true });
  const parts = [];
  for (let from = 0; from < records + added; from += RECORDS_A_PART) {
    const lines: string[] = [];
    for (let n = from; n < Math.min(records + added, from + RECORDS_A_PART); n++) {
      const version = versionOf(n);
      if (version) lines.push(`${recordOf(n, version)}\n`);
    }
    if (lines.length === 0) continue;
    const body = gzipSync(lines.join(''), { level: constants.Z_BEST_SPEED });
    const key: string = `${prefix}part-${parts.length + 1}.ndjson.gz`;
    await writeFile(join(bucket, key), body);
    const sha256 = createHash('sha256').update(body).digest('hex');
    parts.push({ key, customers: lines.length, storedBytes: body.length, sha256 });
  }
  const time = '2026-01-01T00:00:00.000Z';
  const about = { connection: 'acme', list: 'customers', exportId, startedAt: time, endedAt: time };
  const manifestKey = `${prefix}manifest.json`;
  await writeFile(join(bucket, manifestKey), storeJson({ ...about, parts }).body);
  return manifestKey;
}

function figuresOf(usages: readonly Usage[]): readonly string[] {
  const medianOf = (read: (usage: Usage) => number) => spread(usages.map(read)).median;
  return [
    medianOf(({ changes }) => changes).toLocaleString('en'),
    (medianOf(({ elapsedMs }) => elapsedMs) / 1000).toFixed(1),
    (medianOf(({ cpuMs }) => cpuMs) / 1000).toFixed(1),
    megabytes(spread(usages.map(({ peakBytes }) => peakBytes)).most),
    medianOf(({ puts, gets }) => puts + gets).toLocaleString('en'),
    medianOf(costUsd).toFixed(5),
  ];
}

function secondsOf({ cpuMs, puts, gets }: Usage): number {
  return cpuMs / 1000 / PROCESSORS + (puts + gets) * STORE_SECONDS;
}

function costUsd(usage: Usage): number {
  const { puts, gets } = usage;
  return (
    secondsOf(usage) * GIB * PRICES.lambdaGbSecond +
    puts * PRICES.s3PutLike +
    gets * PRICES.s3GetLike
  );
}

interface Result {
  readonly records: number;
  readonly usages: Readonly<Record<string, readonly Usage[]>>;
}

/** The line through both. */
function extrapolated(smaller: Result, larger: Result): string {
  const at = (read: (usage: Usage) => number) => {
    const [low, high] = [smaller, larger].map(
      ({ usages }) => spread((usages['compare'] ?? []).map(read)).median,
    );
    const slope = ((high ?? 0) - (low ?? 0)) / (larger.records - smaller.records);
    return (high ?? 0) + slope * (EXTRAPOLATED - larger.records);
  };
  return `Not measured: the line through the two lists of which 1 % changed gives for ${EXTRAPOLATED.toLocaleString('en')} records ${at(secondsOf).toFixed(0)} s in the function, ${(at(({ cpuMs }) => cpuMs) / 1000).toFixed(0)} of them CPU time, and ${at(costUsd).toFixed(4)} USD.`;
}

function megabytes(bytes: number): string {
  return (bytes / BYTES_PER_MB).toFixed(0);
}
