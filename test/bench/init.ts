// How long the import of each function takes, beside the SDK clients in it, in the same run:
// `npm run bench -- init`. Every import happens in a process of its own; all take turns.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type BuildOptions, buildSync } from 'esbuild';
import { ENVIRONMENT } from '../../functions/environment.ts';
import { BUNDLE_OPTIONS } from '../../infra/constructs/bundled-code.ts';
import { bundleFunction, deployedFunctions } from '../infra/function-bundles.ts';
import { readBenchOptions } from './bench-options.ts';
import { median, publish } from './bench-report.ts';

/** Allowed on top of the clients: middy, ky with Node's fetch, valibot and what is ours. */
const ALLOWANCE_MS = 15;
const ROOT = join(import.meta.dirname, '../..');
const BYTES_PER_KIB = 1024;

/** Class of each client by its package; a function with another one is told to be added here. */
const CLIENT_CLASSES: Readonly<Record<string, string>> = {
  '@aws-sdk/client-dynamodb': 'DynamoDBClient',
  '@aws-sdk/client-eventbridge': 'EventBridgeClient',
  '@aws-sdk/client-s3': 'S3Client',
  '@aws-sdk/client-secrets-manager': 'SecretsManagerClient',
  '@aws-sdk/client-sqs': 'SQSClient',
};
/** The other packages of a function, and what a worker is made of without any. */
const PACKAGES: Readonly<Record<string, string>> = {
  'an empty handler': 'export const handler = () => {};',
  "Node's fetch": 'export const handler = Request;',
  ky: "import ky from 'ky'; export const handler = ky;",
  '@middy/core': "import middy from '@middy/core'; export const handler = middy();",
  valibot: "import * as v from 'valibot'; export const handler = v.object({ a: v.string() });",
};

interface Candidate {
  readonly name: string;
  readonly file: string;
  readonly imports: number[];
}

const { runs, write } = readBenchOptions('init', 15);
// Below the repository, so that the runtime's way, with packages left out of the bundle, finds them.
mkdirSync(join(ROOT, '.bench'), { recursive: true });
const folder = mkdtempSync(join(ROOT, '.bench/init-'));
const script = join(folder, 'import.mjs');
writeFileSync(
  script,
  'const began = performance.now(); await import(process.argv[2]); process.stdout.write(String(performance.now() - began)); process.exit(0);',
);
const candidates = new Map<string, Candidate>();
try {
  const functions = deployedFunctions().map(bundleFunction);
  const clientsOf = ({ packages }: (typeof functions)[number]) =>
    packages.filter((name) => name.startsWith('@aws-sdk/client-'));
  for (const each of functions) {
    candidate(each.name, (file) => writeFileSync(file, each.code));
    const clients = clientsOf(each);
    candidate(togetherName(clients), bundled(codeOf(clients)));
  }
  for (const name of Object.keys(CLIENT_CLASSES)) {
    candidate(name, bundled(codeOf([name])));
    candidate(`${name}, every credential`, bundled(codeOf([name]), { alias: {} }));
    candidate(`${name}, not bundled`, bundled(codeOf([name]), { packages: 'external' }));
  }
  for (const [name, code] of Object.entries(PACKAGES)) candidate(name, bundled(code));
  measureAll();

  const own = (clients: readonly string[]) =>
    clients.reduce((sum, name) => sum + importMs(name), 0);
  const results = functions.map((each) => {
    const clients = clientsOf(each);
    return {
      name: each.name,
      kib: each.kib,
      gzipKib: gzipSync(each.code).length / BYTES_PER_KIB,
      clients,
      importMs: importMs(each.name),
      clientsTogetherMs: importMs(togetherName(clients)),
      clientsOwnMs: own(clients),
    };
  });
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
        {
          title: 'Import of one client, constructed, alone',
          head: [
            'client',
            'KiB',
            'as we bundle it, ms',
            'with every credential provider, ms',
            'not bundled, ms',
          ],
          rows: Object.keys(CLIENT_CLASSES).map((name) => [
            name,
            kibOf(name).toFixed(0),
            importMs(name).toFixed(1),
            importMs(`${name}, every credential`).toFixed(1),
            importMs(`${name}, not bundled`).toFixed(1),
          ]),
        },
        {
          title: 'Import of the rest',
          head: ['what', 'KiB', 'ms'],
          rows: Object.keys(PACKAGES).map((name) => [
            name,
            kibOf(name).toFixed(1),
            importMs(name).toFixed(1),
          ]),
        },
      ],
      notes: [
        `Medians of ${runs} imports, each in a fresh process; the start of Node itself is not in it.`,
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
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function togetherName(clients: readonly string[]): string {
  return clients.join(' + ');
}

function codeOf(clients: readonly string[]): string {
  return clients
    .map((name, index) => {
      const className = CLIENT_CLASSES[name];
      if (className === undefined) throw new Error(`Add ${name} to CLIENT_CLASSES of this file.`);
      return `import { ${className} } from '${name}'; export const client${index} = new ${className}({});`;
    })
    .join('\n');
}

function bundled(contents: string, more: BuildOptions = {}): (outfile: string) => void {
  return (outfile) => {
    const stdin = { contents, resolveDir: ROOT };
    buildSync({ ...BUNDLE_OPTIONS, ...more, stdin, outfile });
  };
}

function candidate(name: string, make: (file: string) => void): void {
  if (candidates.has(name)) return;
  const file = join(folder, `${candidates.size}.mjs`);
  make(file);
  candidates.set(name, { name, file, imports: [] });
}

function measureAll(): void {
  const env = environment();
  for (let run = 0; run < runs; run++) {
    process.stderr.write(`Run ${run + 1} of ${runs}\n`);
    for (const { file, imports } of candidates.values()) {
      imports.push(Number(execFileSync(process.execPath, [script, file], { env })));
    }
  }
}

function importMs(name: string): number {
  return median(candidates.get(name)?.imports ?? []);
}

function kibOf(name: string): number {
  return statSync(candidates.get(name)?.file ?? '').size / BYTES_PER_KIB;
}

/** What the stack sets, as far as a function looks at it while it is loaded. */
function environment(): Record<string, string> {
  const connections = {
    defaults: { baseUrl: 'https://api.example.com' },
    connections: { acme: {}, globex: {} },
  };
  return {
    ...Object.fromEntries(Object.values(ENVIRONMENT).map((name) => [name, 'set'])),
    [ENVIRONMENT.connections]: JSON.stringify(connections),
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
}
