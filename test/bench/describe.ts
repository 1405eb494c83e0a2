// Time and memory of the report on a list, beside reading the same parts and parsing each record:
// `npm run bench -- describe`. Fails when the report takes more memory than it may.
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import * as v from 'valibot';
import { customerSource } from '../../infra/simulator/customers.ts';
import { readBenchOptions } from './bench-options.ts';
import { publish, runsText } from './bench-report.ts';
import { bundleExporter, outputOf } from './exporter-process.ts';
import { type Spread, spread } from './spread.ts';

/** 500 pages of 100, the most of a part by default. */
const RECORDS_A_PART = 50_000;
const MAX_PEAK_BYTES = 200_000_000;
const BYTES_PER_MB = 1e6;

const customers = customerSource(1, 0);
const LISTS = [
  { title: '200,000 customers', records: 200_000, textOf: (n: number) => customers.textOf(n, 1) },
  {
    title: '1,000,000 customers',
    records: 1_000_000,
    textOf: (n: number) => customers.textOf(n, 1),
  },
  {
    title: '1,000,000 records, no two names equal',
    records: 1_000_000,
    textOf: (n: number) =>
      `{"id":${n},"by_id":{"n${n}":{"v":1}},"m${n}":"x","list":[{"l${n}":null}]}`,
  },
  {
    title: '20 records of 16 MB, nested and long',
    records: 20,
    textOf: (n: number) =>
      `{"id":${n},"text":"${'x'.repeat(8e6)}","deep":${'['.repeat(900)}${']'.repeat(900)},"many":[${'{"a":1},'.repeat(9e5)}0]}`,
  },
];
const WAYS = ['describe', 'parse'] as const;

const UsageSchema = v.object({
  records: v.number(),
  reportBytes: v.number(),
  elapsedMs: v.number(),
  cpuMs: v.number(),
  peakBytes: v.number(),
});
type Usage = v.InferOutput<typeof UsageSchema>;

const { runs, write } = readBenchOptions('describe', 3);
const folder = await mkdtemp(join(tmpdir(), 'describe-'));
try {
  const reader = bundleExporter('part-reader', folder);
  const results = [];
  for (const list of LISTS) {
    const parts = await storeParts(list);
    const usages: Record<string, Usage[]> = { describe: [], parse: [] };
    for (let run = 0; run < runs; run++) {
      for (const way of WAYS) {
        const output = await outputOf(reader, { way, parts }, { ca: '' });
        usages[way]?.push(v.parse(UsageSchema, JSON.parse(output)));
      }
    }
    results.push({ title: list.title, usages });
    await Promise.all(parts.map(({ file }) => rm(file)));
    process.stderr.write(`${list.title}\n`);
  }
  const peaks = results.flatMap(
    ({ usages }) => usages['describe']?.map(({ peakBytes }) => peakBytes) ?? [],
  );
  const isWithin = Math.max(...peaks) <= MAX_PEAK_BYTES;
  publish(
    {
      name: 'describe',
      command: 'npm run bench -- describe',
      tables: [
        {
          title: 'The report on a list, beside reading its parts and JSON.parse of each record',
          head: ['list', 'way', 's', 'CPU s', 'peak RSS MB', 'report KB'],
          rows: results.flatMap(({ title, usages }) =>
            WAYS.map((way) => [
              title,
              way === 'describe' ? 'report' : 'parse',
              ...figuresOf(usages[way] ?? []),
            ]),
          ),
        },
      ],
      notes: [
        `${runsText(runs)}, and of the memory the most; each in a process of its own, from files. The bound is ${MAX_PEAK_BYTES / BYTES_PER_MB} MB.`,
      ],
      results,
    },
    write,
  );
  if (!isWithin)
    process.stdout.write(`FAILED: a report took ${megabytes(Math.max(...peaks))} MB\n`);
  process.exitCode = isWithin ? 0 : 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

interface List {
  readonly records: number;
  readonly textOf: (n: number) => string;
}

async function storeParts({ records, textOf }: List) {
  const parts = [];
  for (let from = 0; from < records; from += RECORDS_A_PART) {
    const count = Math.min(RECORDS_A_PART, records - from);
    const lines = Array.from({ length: count }, (_, n) => `${textOf(from + n)}\n`);
    const body = gzipSync(lines.join(''), { level: constants.Z_BEST_SPEED });
    const file = join(folder, `part-${from}.ndjson.gz`);
    await writeFile(file, body);
    parts.push({ file, records: count, sha256: createHash('sha256').update(body).digest('hex') });
  }
  return parts;
}

function figuresOf(usages: readonly Usage[]): readonly string[] {
  const of = (read: (usage: Usage) => number): Spread => spread(usages.map(read));
  return [
    (of(({ elapsedMs }) => elapsedMs).median / 1000).toFixed(1),
    (of(({ cpuMs }) => cpuMs).median / 1000).toFixed(1),
    megabytes(of(({ peakBytes }) => peakBytes).most),
    (of(({ reportBytes }) => reportBytes).median / 1000).toFixed(0),
  ];
}

function megabytes(bytes: number): string {
  return (bytes / BYTES_PER_MB).toFixed(0);
}
