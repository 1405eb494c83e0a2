// What a verified walk of a list that changes misses, proves and costs, beside a fast one: `npm run bench -- walks`.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import * as v from 'valibot';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';

const ORDERS = {
  rising: 'rising',
  falling: 'falling',
  'last-edit': 'by last edit, newest first',
  fixed: 'fixed, as it is set',
  hidden: 'by a value that edits change',
} as const;
const LABELS: Readonly<Record<keyof typeof ORDERS, string>> = {
  rising: 'ids rise, new ones last',
  falling: 'ids fall, new ones first',
  'last-edit': 'by last edit, newest first',
  fixed: 'fixed, with `order: fixed`',
  hidden: 'by a hidden value that edits change',
};
const SIZES = [
  { rows: 10_000, perPage: 100, most: 1.2, share: 1 },
  { rows: 2_000, perPage: 50, most: 1.3, share: 0.2 },
] as const;
/** Records that are added, deleted and edited after each request. */
const RATES = [0.5, 3] as const;
/** Above this rate gaps are the rule, and each costs requests. */
const CALM_RATE = 0.5;
const SEEDS = 500;
const PROCESSES = 2;
const READER = new URL('./walks/read-lists.ts', import.meta.url).pathname;

const ResultSchema = v.object({
  complete: v.number(),
  missedInComplete: v.number(),
  missed: v.number(),
  requests: v.number(),
  fast: v.object({ missed: v.number(), runsThatMissed: v.number(), requests: v.number() }),
});

interface Job {
  readonly label: string;
  readonly order: string;
  readonly rows: number;
  readonly perPage: number;
  readonly most: number;
  readonly rate: number;
  readonly seeds: number;
}

type Done = Job & v.InferOutput<typeof ResultSchema> & { readonly seconds: number };

const {
  runs: seeds,
  only,
  write,
} = readBenchOptions('walks', SEEDS, {
  orders: Object.keys(ORDERS),
});
const jobs = SIZES.flatMap(({ share, ...size }) =>
  Object.entries(ORDERS).flatMap(([name, order]) => {
    if (only['orders']?.includes(name) !== true) return [];
    const label = LABELS[name as keyof typeof ORDERS];
    return RATES.map(
      (rate): Job => ({ label, order, ...size, rate, seeds: Math.ceil(share * seeds) }),
    );
  }),
);
const done = await readAll(jobs);

publish(
  {
    name: 'walks',
    command: 'npm run bench -- walks',
    tables: SIZES.map(({ rows, perPage, most }) => ({
      title: `${rows.toLocaleString('en')} records, ${perPage} a page, that change while they are read`,
      head: [
        'order',
        'changes a request',
        'seeds',
        'complete',
        'missing where complete',
        'fast: mean missing',
        'fast: runs that miss',
        'requests',
        'fast: requests',
        'ratio',
        `at most ${most}`,
        'seconds',
      ],
      rows: done.filter((each) => each.perPage === perPage).map(rowOf),
    })),
    notes: [
      'A third of the changes each are additions, deletions and edits, or mostly one kind, or hundreds at once, by the seed; 1 to 16 requests are under way, and answers are made in any order. Requests are means, and include those that were dropped. Missing: records that were there from start to end. The bound of the ratio holds for lists whose order is shown.',
    ],
    results: done,
  },
  write,
);
const missed = done.reduce((sum, { missedInComplete }) => sum + missedInComplete, 0);
if (missed > 0) {
  process.stdout.write(`FAILED: ${missed} records are missing where the walk says complete\n`);
  process.exitCode = 1;
}

async function readAll(all: readonly Job[]): Promise<readonly Done[]> {
  const results: Done[] = [];
  const waiting = [...all.entries()];
  const workers = Array.from({ length: PROCESSES }, async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [at, job] = next;
      process.stderr.write(`${job.label}, ${job.perPage} a page, ${job.rate} changes a request\n`);
      results[at] = await read(job);
    }
  });
  await Promise.all(workers);
  return results;
}

async function read({ label, most, ...job }: Job): Promise<Done> {
  const startedAt = performance.now();
  const run = promisify(execFile);
  const { stdout, stderr } = await run(process.execPath, [READER, JSON.stringify(job)]);
  process.stderr.write(stderr);
  const seconds = (performance.now() - startedAt) / 1000;
  return { label, most, ...job, ...v.parse(ResultSchema, JSON.parse(stdout)), seconds };
}

function rowOf(each: Done): readonly string[] {
  const { label, rate, complete, missedInComplete, requests, fast, most, seconds } = each;
  const ratio = requests / fast.requests;
  return [
    label,
    String(rate),
    each.seeds.toLocaleString('en'),
    percent(complete, each.seeds),
    missedInComplete.toLocaleString('en'),
    (fast.missed / each.seeds).toFixed(1),
    percent(fast.runsThatMissed, each.seeds),
    (requests / each.seeds).toFixed(1),
    (fast.requests / each.seeds).toFixed(1),
    ratio.toFixed(3),
    rate === CALM_RATE ? (ratio <= most ? 'yes' : 'NO') : '',
    seconds.toFixed(0),
  ];
}

function percent(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(1)} %`;
}
