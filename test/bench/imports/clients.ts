import type { BuildOptions } from 'esbuild';
import { REQUIRE_BANNER } from '../exporter-process.ts';
import { bundleCode } from '../import-times.ts';
import { CLIENT_CLASSES, clientsCode, lazyClientsCode, lazyImportsCode } from '../sdk-clients.ts';
import type { Question } from './question.ts';

const CLIENTS = Object.keys(CLIENT_CLASSES);
const ALL = 'all five';
const SETS: readonly (readonly [name: string, clients: readonly string[]])[] = [
  ...CLIENTS.map((name) => [name.replace('@aws-sdk/', ''), [name]] as const),
  [ALL, CLIENTS],
];
/** The smallest and the largest alone, and what a worker has. */
const LAZY_SETS = SETS.filter(([name]) => ['client-sqs', 'client-s3', ALL].includes(name));

const AS_BUNDLED = 'as we bundle it';
/** What is instead of our options. */
const WAYS: Readonly<Record<string, BuildOptions>> = {
  [AS_BUNDLED]: {},
  'every credential provider': { alias: {} },
  'main fields main,module': {
    mainFields: ['main', 'module'],
    banner: REQUIRE_BANNER,
  },
  'not bundled': { packages: 'external' },
};

/** How a client gets into a function. */
export function clients(): Question {
  const rows = SETS.flatMap(([name, clients]) =>
    Object.entries(WAYS).map(([way, options]) => ({
      what: `${name}, ${way}`,
      bundle: bundleCode(clientsCode(clients), options),
      isPartial: options.packages === 'external',
      ...(way === AS_BUNDLED ? {} : { beside: `${name}, ${AS_BUNDLED}` }),
    })),
  );
  return { title: 'SDK clients, made at import', rows };
}

const AT_IMPORT = 'made at import';
const TIMES = {
  [AT_IMPORT]: clientsCode,
  'made at the first call': lazyClientsCode,
  'imported at the first call': lazyImportsCode,
};

/** When a client gets into a function. */
export function laziness(): Question {
  const rows = LAZY_SETS.flatMap(([name, clients]) =>
    Object.entries(TIMES).map(([time, codeOf]) => ({
      what: `${name}, ${time}`,
      bundle: bundleCode(codeOf(clients)),
      ...(time === AT_IMPORT ? {} : { beside: `${name}, ${AT_IMPORT}` }),
    })),
  );
  return { title: 'SDK clients, made at import or later', rows, first: 'clients made' };
}
