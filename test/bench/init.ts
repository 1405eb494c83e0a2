// How long the import of each function takes, beside the SDK clients in it, in the same run:
// `npm run bench -- init`. Every import happens in a process of its own; all take turns.
import { gzipSync } from 'node:zlib';
import { ENVIRONMENT, type EnvironmentName } from '../../functions/services/environment.ts';
import { bundleFunction, deployedFunctions } from '../infra/function-bundles.ts';
import { readBenchOptions } from './bench-options.ts';
import { publish } from './bench-report.ts';
import { bundleCode, measureImports } from './import-times.ts';
import { CLIENT_CLASSES, clientsCode } from './sdk-clients.ts';

/** Allowed on top of the clients: middy, ky with `node:https`, valibot and what is ours. */
const ALLOWANCE_MS = 15;
const BYTES_PER_KIB = 1024;

const QUEUE_URL = 'https://sqs.us-east-1.amazonaws.com/123456789012/bench';
/** What the stack sets; a function looks at all of it while it is loaded. */
const VARIABLES: Readonly<Record<(typeof ENVIRONMENT)[EnvironmentName], string>> = {
  [ENVIRONMENT.ledgerTable]: 'ledger',
  [ENVIRONMENT.exportBucket]: 'exports',
  [ENVIRONMENT.exportQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.writeQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.deadLetterQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.eventBus]: 'default',
  [ENVIRONMENT.secretPrefix]: 'customers-api/',
  [ENVIRONMENT.connections]: JSON.stringify({
    defaults: { baseUrl: 'https://api.example.com' },
    connections: { acme: {}, globex: {} },
  }),
  [ENVIRONMENT.fanOutQueueUrl]: QUEUE_URL,
  [ENVIRONMENT.measured]: JSON.stringify({ all: true, names: [], except: [], overdueHours: 26 }),
};

const { runs, write } = readBenchOptions('init', 15);
const functions = deployedFunctions().map((name) => {
  const bundle = bundleFunction(name);
  return {
    ...bundle,
    clients: bundle.packages.filter((each) => each.startsWith('@aws-sdk/client-')),
  };
});
const clientSets = [
  ...functions.map(({ clients }) => clients),
  ...Object.keys(CLIENT_CLASSES).map((name) => [name]),
];
const timeOf = measureImports(
  Object.fromEntries([
    ...functions.map(({ name, code }) => [name, code] as const),
    ...clientSets.map((clients) => [keyOf(clients), bundleCode(clientsCode(clients))] as const),
  ]),
  runs,
  VARIABLES,
);

const results = functions.map(({ name, kib, code, clients }) => ({
  name,
  kib,
  gzipKib: gzipSync(code).length / BYTES_PER_KIB,
  clients,
  importMs: timeOf(name).importMs.median,
  clientsTogetherMs: timeOf(keyOf(clients)).importMs.median,
  clientsOwnMs: clients.reduce((sum, each) => sum + timeOf(keyOf([each])).importMs.median, 0),
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
          'import ms',
          'its clients in one bundle, ms',
          "sum of its clients' own imports, ms",
          `at most sum + ${ALLOWANCE_MS}`,
        ],
        rows: results.map((each) => [
          each.name,
          each.kib.toFixed(0),
          each.gzipKib.toFixed(0),
          String(each.clients.length),
          each.importMs.toFixed(1),
          each.clientsTogetherMs.toFixed(1),
          each.clientsOwnMs.toFixed(1),
          each.importMs <= each.clientsOwnMs + ALLOWANCE_MS ? 'yes' : 'NO',
        ]),
      },
    ],
    notes: [
      `Medians of ${runs} imports, each in a fresh process on one processor; the start of Node itself is not in it.`,
      'The clients share most of their code, so that the clients in one bundle are the stricter comparison.',
    ],
    results,
  },
  write,
);
for (const each of results) {
  if (each.importMs <= each.clientsOwnMs + ALLOWANCE_MS) continue;
  process.stderr.write(`FAILED: ${each.name} takes ${each.importMs.toFixed(1)} ms.\n`);
  process.exitCode = 1;
}

function keyOf(clients: readonly string[]): string {
  return clients.join(' + ');
}
