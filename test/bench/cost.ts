// What exports cost by the cost model, and how near the model is to what the local stack counts:
// `npm run bench -- cost`.
import { type BilledUnits, costByService, costUsdOf } from '../../infra/cost/billed-units.ts';
import { PRICES } from '../../infra/cost/prices.ts';
import { type CostedLimit, expectedExport } from '../docs/expected-export.ts';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { type MeasuredExport, measureExport } from './measured-export.ts';

const PER_PAGE = 100;
const LATENCY_MS = 20;
const BYTES_PER_MIB = 1024 * 1024;
const SIZES = [1_000, 10_000, 100_000, 1_000_000, 10_000_000];
const LIMITS: readonly (readonly [title: string, limit: CostedLimit])[] = [
  ['none', { kind: 'none' }],
  ['50 a second', { kind: 'rate', requestsPerSecond: 50 }],
  ['600 a minute', { kind: 'window', requests: 600, windowSeconds: 60 }],
];
/** Counted units that the model may miss at most, as a share; time depends on the machine and is not among them. */
const MAX_DIFFERENCE = 0.25;
const COMPARED = [
  'lambdaRequests',
  'sqsRequests',
  'dynamodbWriteUnits',
  'dynamodbReadUnits',
  's3PutLike',
  'secretsManagerCalls',
  'eventBridgeEvents',
] as const satisfies readonly (keyof BilledUnits)[];

/** Small exports under each kind of limit, with the options that give it. */
const CHECKS = [
  {
    title: 'none, 60,000',
    customers: 60_000,
    limit: { kind: 'none' },
    api: ['--rate=none'],
    start: [],
  },
  {
    title: '50 a second, 20,000',
    customers: 20_000,
    limit: { kind: 'rate', requestsPerSecond: 50 },
    api: ['--rate=50', '--burst=10'],
    start: ['--requests-per-second=50'],
  },
  {
    title: '60 in 6 s, 20,000',
    customers: 20_000,
    limit: { kind: 'window', requests: 60, windowSeconds: 6 },
    api: ['--rate=60', '--window=6'],
    start: [],
  },
] as const;

const { write } = readBenchOptions('cost', 1);
const checks = [];
for (const check of CHECKS) checks.push(await measureCheck(check));
const memoryMiB = checks[0]?.memoryMiB ?? 0;

const rows = SIZES.flatMap((customers) =>
  LIMITS.map(([title, limit]) => {
    const expected = expectedExport({
      customers,
      perPage: PER_PAGE,
      limit,
      latencyMs: LATENCY_MS,
      memoryMiB,
    });
    return {
      customers,
      title,
      ...expected,
      usd: costUsdOf(expected.units),
      services: costByService(expected.units),
    };
  }),
);
publish(
  {
    name: 'cost',
    command: 'npm run bench -- cost',
    tables: [
      {
        title: `Cost of one export, USD (prices of ${PRICES.region}, ${PRICES.asOf}; worker of ${memoryMiB} MiB; ${LATENCY_MS} ms latency)`,
        head: [
          'customers',
          'limit',
          'takes',
          'steps',
          'Lambda',
          'DynamoDB',
          'S3',
          'SQS, keys, events',
          'in all',
          'a million customers',
        ],
        rows: rows.map(({ customers, title, durationSeconds, steps, usd, services }) => [
          customers.toLocaleString('en-US'),
          title,
          time(durationSeconds),
          String(steps),
          dollars(services.Lambda),
          dollars(services.DynamoDB),
          dollars(services.S3),
          dollars(services.SQS + services['Secrets Manager'] + services.EventBridge),
          dollars(usd),
          dollars((usd / customers) * 1_000_000),
        ]),
      },
      {
        title: 'The model beside what the local stack counted (model / counted)',
        head: ['limit, customers', ...COMPARED],
        rows: checks.map(({ title, expected, counted }) => [
          title,
          ...COMPARED.map((name) => `${expected[name].toFixed(0)} / ${counted[name].toFixed(0)}`),
        ]),
      },
    ],
    notes: [
      'Without what is kept: objects 0.023 USD a GB and month, a secret 0.40 USD a month, logs and metrics.',
      'Lambda time of the model: processor time of a page by the share of a processor, or the latency, or the rate, whichever is longest.',
    ],
    results: { rows, checks },
  },
  write,
);
for (const { title, expected, counted } of checks) {
  for (const name of COMPARED) {
    const [model, fact] = [expected[name], counted[name]];
    // A few more or less of a few are no error of the model.
    if (Math.abs(model - fact) <= Math.max(4, fact * MAX_DIFFERENCE)) continue;
    process.stderr.write(
      `FAILED: ${title}: the model expects ${model} ${name}, counted ${fact}.\n`,
    );
    process.exitCode = 1;
  }
}

async function measureCheck({ title, customers, limit, api, start }: (typeof CHECKS)[number]) {
  process.stderr.write(
    `Exporting ${customers.toLocaleString('en-US')} customers, limit ${title}\n`,
  );
  const measured = await measureExport(customers, PER_PAGE, { limit: api, start });
  const memoryMiB = measured.configuredMemoryBytes / BYTES_PER_MIB;
  const asked = { customers, perPage: PER_PAGE, limit, latencyMs: 0, memoryMiB };
  return { title, expected: expectedExport(asked).units, counted: countedOf(measured), memoryMiB };
}

/** Without the sweep, which every stack has once. */
function countedOf({ usage }: MeasuredExport): BilledUnits {
  const units = usage.billed;
  const sweeps = Object.entries(usage.lambda).filter(([name]) => name.includes('Sweep'));
  const sweepRuns = sweeps.reduce((sum, [, { invocations }]) => sum + invocations, 0);
  return { ...units, lambdaRequests: units.lambdaRequests - sweepRuns };
}

function time(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(0)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

function dollars(usd: number): string {
  return usd === 0 ? '0' : usd < 0.01 ? usd.toFixed(6) : usd.toFixed(4);
}
