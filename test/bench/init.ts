// How long the import of each function takes, beside the SDK clients and ky in it, in the same run:
// `npm run bench -- init`. Every import happens in a process of its own; all take turns.
import { gzipSync } from 'node:zlib';
import {
  ENVIRONMENT,
  type EnvironmentName,
  type Measured,
} from '../../functions/services/environment.ts';
import { deployedFunctions } from '../../infra/build/bundle-function.ts';
import { bundleContent } from '../infra/function-bundles.ts';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { bundleCode, measureImports } from './import-times.ts';
import { clientsCode } from './sdk-clients.ts';

/** Allowed on top of the clients and ky: middy, valibot and what is ours. */
const ALLOWANCE_MS = 15;
const BYTES_PER_KIB = 1024;

const QUEUE_URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/bench';
/** What the stack sets; a function looks at all of it while it is loaded. */
const VARIABLES: Readonly<Record<(typeof ENVIRONMENT)[EnvironmentName], string>> = {
  [ENVIRONMENT.ledgerTable]: 'ledger',
  [ENVIRONMENT.exportBucket]: 'exports',
  [ENVIRONMENT.exportQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.writeQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.descriptionQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.changeQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.deadLetterQueueUrl]: `${QUEUE_URL}-dead`,
  [ENVIRONMENT.eventBus]: 'default',
  [ENVIRONMENT.integrationId]: 'Bench',
  [ENVIRONMENT.secretPrefix]: 'customers-api/',
  [ENVIRONMENT.fingerprintSecret]: 'fingerprint',
  [ENVIRONMENT.connections]: JSON.stringify({
    defaults: { baseUrl: 'https://api.example.com' },
    connections: { acme: {}, globex: {} },
  }),
  [ENVIRONMENT.fanOutQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.measured]: JSON.stringify({
    exports: [{ lists: ['customers'], all: true, names: [], except: [], own: false }],
    overdueHours: 26,
  } satisfies Measured),
};

const PRESIGNER = '@aws-sdk/s3-request-presigner';

const { runs, write } = readBenchOptions('init', 15);
const bundles = await Promise.all(deployedFunctions().map(bundleContent));
const functions = bundles.map((bundle) => {
  // The presigner is a package of the SDK too; what else the clients need comes with them.
  const isCompared = (each: string) =>
    ['ky', PRESIGNER].includes(each) || each.startsWith('@aws-sdk/client-');
  return { ...bundle, compared: bundle.packages.filter(isCompared) };
});
const timeOf = measureImports(
  Object.fromEntries(
    functions.flatMap(({ name, code, compared }) => [
      [name, code] as const,
      [keyOf(compared), bundleCode(codeOf(compared))] as const,
    ]),
  ),
  runs,
  VARIABLES,
);

const results = functions.map(({ name, kib, code, compared }) => ({
  name,
  kib,
  gzipKib: gzipSync(code).length / BYTES_PER_KIB,
  compared,
  importMs: timeOf(name).importMs.median,
  comparedMs: timeOf(keyOf(compared)).importMs.median,
}));
publish(
  {
    name: 'init',
    command: 'npm run bench -- init',
    tables: [
      {
        title: 'Import of each function as it is deployed',
        head: [
          'function',
          'KiB',
          'gzip KiB',
          'SDK clients',
          'ky',
          'import ms',
          'its clients and ky in one bundle, ms',
          `at most that + ${ALLOWANCE_MS}`,
        ],
        rows: results.map((each) => [
          each.name,
          each.kib.toFixed(0),
          each.gzipKib.toFixed(0),
          String(each.compared.filter((name) => name !== 'ky').length),
          each.compared.includes('ky') ? 'yes' : 'no',
          each.importMs.toFixed(1),
          each.comparedMs.toFixed(1),
          each.importMs <= each.comparedMs + ALLOWANCE_MS ? 'yes' : 'NO',
        ]),
      },
    ],
    notes: [
      `Medians of ${runs} imports, each in a fresh process on one processor; the start of Node itself is not in it.`,
    ],
    results,
  },
  write,
);
for (const each of results) {
  if (each.importMs <= each.comparedMs + ALLOWANCE_MS) continue;
  process.stderr.write(`FAILED: ${each.name} takes ${each.importMs.toFixed(1)} ms.\n`);
  process.exitCode = 1;
}

function codeOf(packages: readonly string[]): string {
  const clients = clientsCode(packages.filter((each) => each.startsWith('@aws-sdk/client-')));
  if (packages.includes(PRESIGNER)) return `export * from '${PRESIGNER}'; ${clients}`;
  if (!packages.includes('ky')) return clients;
  return `import ky from 'ky'; ${clients} export const api = ky.create();`;
}

function keyOf(packages: readonly string[]): string {
  return packages.join(' + ');
}
