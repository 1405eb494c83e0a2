import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { COMMANDS } from '../../../infra/command/commands.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import type { LocalStack } from '../../../infra/local/local-stack.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { documentedLines } from '../../docs/documented-lines.ts';
import { documentedRights } from '../../docs/documented-rights.ts';
import { trust } from '../../trust.ts';
import { unpacked } from '../../unpacked.ts';
import { until } from '../../until.ts';
import { sampleSurroundings } from '../command/sample-surroundings.ts';
import { NeededRights } from './needed-rights.ts';
import { type StackWorld, startStackWorld } from './stack-world.ts';

const KEY = 'cAnArY-of-the-command-4711';
const SUITE_TIMEOUT_MS = 180_000;

const before = { ...process.env };
const wasIn = process.cwd();
let world: StackWorld;
let api: Simulator;
let stack: LocalStack;
/** Where the lines are run. */
let folder: string;
const needed = new NeededRights();

beforeAll(async () => {
  const apiOptions = { customers: 60, invoices: 20, organizations: [{ key: KEY }] };
  const operations = [
    { name: 'create', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true },
  ];
  // Whoever is shown to have a right here has it for parts of both compressions: other suites have gzip.
  const acme = { perPage: 20, compression: 'zstd' };
  const settings = { operations, connections: { acme } };
  world = await startStackWorld(apiOptions, settings, {
    onAllowed: (caller, request) => needed.saw(caller, request),
  });
  ({ api, stack, folder } = world);
  trust(api.caPem);
  const { endpoint, region, credentials } = stack.endpoint;
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: endpoint,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  });
  process.chdir(folder);
}, SUITE_TIMEOUT_MS);
afterAll(async () => {
  process.chdir(wasIn);
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await world?.close();
});

/** Runs a line in this process; what it says never has the key in it. */
async function run(args: readonly string[]) {
  const surroundings = sampleSurroundings({
    environment: { ...process.env, CUSTOMERS_API_KEY: KEY },
  });
  surroundings.stdin.end(`${KEY}\n`);
  const wait = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms / 10));
  needed.running(`${args[0]} ${args.includes('services') ? 'services' : 'http-api'}`);
  const code = await runCommand(COMMANDS, args, { ...surroundings, now: Date.now, wait });
  needed.running(undefined);
  const { stdout, stderr } = surroundings.said;
  expect(stdout + stderr).not.toContain(KEY);
  return { code, stdout, stderr };
}

const json = async (...args: readonly string[]) =>
  JSON.parse((await run([...args, '--json'])).stdout);
const records = () => api.customersOf(KEY);
const fileLines = (name: string) => readFileSync(join(folder, name), 'utf8').split('\n');

/** Starts another export. */
async function startedExport(): Promise<string> {
  return (await json('start', 'acme')).export.exportId;
}

/** The same, but it is not over when the next line is run. Until then the API answers slowly. */
async function startedSlowly(): Promise<string> {
  api.setFaults([{ fault: { kind: 'delay', ms: 1_000 } }]);
  return startedExport();
}

test.each([
  ['--by', 'http-api'],
  ['--by', 'services'],
])(
  'every command line of the pages does what they say, with %s %s',
  async (...by) => {
    const ran: string[] = [];
    for (const written of LINES) {
      const [command = ''] = written;
      // Once is enough for what asks no integration.
      if (HERE.has(command) && by.includes('services')) continue;
      if (command === 'changes' && !ran.includes('changes')) {
        if (by.includes('http-api')) await noComparison();
        await secondExport();
      }
      const exportId = command === 'cancel' ? await startedSlowly() : '';
      const args = written.map((each) =>
        each === 'EXPORT-ID' ? exportId : each.replace('https://api.example.com', api.url),
      );
      // The simulated API takes one header alone, and no write of it waits for a person.
      const isRefused = args.includes('X-Api-Token') || args.includes('WRITE-ID');
      const { code, stdout, stderr } = await run(HERE.has(command) ? args : [...args, ...by]);
      api.setFaults([]);
      const said = code === 0 || isRefused ? '' : stdout + stderr;
      expect({ args, code, said }).toEqual({ args, code: isRefused ? 1 : 0, said: '' });
      ran.push(command);
    }
    const commands = COMMANDS.map(({ usage }) => usage.name.split(' ')[1] ?? '');
    const elsewhere = by.includes('services') ? [...ELSEWHERE, ...HERE] : [...ELSEWHERE];
    expect(commands.filter((name) => ![...ran, ...elsewhere].includes(name))).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);

/** They ask no deployed integration for anything. */
const HERE: ReadonlySet<string> = new Set(['try', 'doctor', 'new-key']);

/** With pages and tests of their own. */
const ELSEWHERE: ReadonlySet<string> = new Set(['simulate', 'schema']);

/** A page of another API has a test of its own for the command that fits it. */
const LINES = ['docs/command.md', 'README.md', 'docs/doctor.md', 'docs/another-resource.md']
  .flatMap(documentedLines)
  .filter((line) => !line.includes('finance/invoices'));

/** The first export of a list is compared with none. */
async function noComparison(): Promise<void> {
  expect(await run(['changes', 'acme'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(
      'acme has no export that was compared with one before it of the list customers.',
    ),
  });
}

async function secondExport(): Promise<void> {
  api.edit(KEY, { inserts: 1, deletes: 1, updates: 2 });
  await startedExport();
  expect(await run(['watch', 'acme'])).toMatchObject({ code: 0 });
  await comparison();
}

/** Waits until the newest export was compared with the one before. */
async function comparison(): Promise<void> {
  const isCompared = async () => (await json('show', 'acme')).changes?.counts != null;
  await until('the comparison', isCompared, { everyMs: 200 });
}

test('new-key says for which integration the key is stored', async () => {
  const { stdout } = await run(['new-key', 'globex']);
  expect(stdout).toContain(
    'for the integration CustomersFunctions of the stack CustomersFunctions: customers-functions/CustomersFunctions/globex',
  );
});

test('what was downloaded is the list of the API, record by record', async () => {
  const { stdout } = await run(['download', 'acme', '--as', 'ndjson']);
  expect(stdout.trimEnd().split('\n')).toEqual(records());
  const again = await json('download', 'acme');
  expect((await json('download', 'acme')).downloaded).toBe(0);
  expect(again.files).toBeGreaterThan(1);
  const rows = fileLines('customers.csv').filter((line) => /^\d{16},C-/.test(line));
  expect(rows).toHaveLength(60);
  const listed = (await run(['list', 'acme', '--json'])).stdout.trimEnd().split('\n');
  const exported = listed.map((line) => JSON.parse(line));
  const { manifestKey } = exported.find(({ status }) => status === 'completed');
  const { parts } = JSON.parse(readFileSync(join(folder, manifestKey), 'utf8'));
  const [first] = parts;
  const part = readFileSync(join(folder, first.key));
  expect(first).toMatchObject({
    key: expect.stringMatching(/\.ndjson\.zst$/),
    compression: 'zstd',
  });
  expect(unpacked(first.key, part).toString().startsWith(`${records()[0]}\n`)).toBe(true);
  const report = readFileSync(again.report, 'utf8');
  expect(again.report).toBe(join(folder, manifestKey.replace('manifest.json', 'report.html')));
  for (const seen of [
    'completed, complete',
    first.sha256,
    '$.email',
    '2 changed',
    'not known here',
  ])
    expect(report).toContain(seen);
  writeFileSync(join(folder, first.key), 'cut');
  expect((await json('download', 'acme')).downloaded).toBe(1);
  expect(readFileSync(join(folder, first.key))).toEqual(part);
});

test('the services say the same as the HTTP API, and keep who decided', async () => {
  const key = ['--idempotency-key', 'both-ways'];
  const exportId = await startedSlowly();
  const stopped = await json('cancel', 'acme', exportId, '--reason', 'r', '--by', 'services');
  api.setFaults([]);
  expect(stopped).toMatchObject({
    status: 'cancelled',
    cancellation: { reason: 'r', by: expect.stringMatching(/^arn:aws:iam::\d+:/) },
  });
  expect(await run(['watch', 'acme', exportId, '--by', 'services'])).toMatchObject({ code: 1 });
  await json('start', 'acme', '--by', 'services', ...key);
  await json('watch', 'acme', '--by', 'services');
  // Else it may come between the two answers.
  await comparison();
  for (const line of [
    ['start', 'acme', ...key],
    ['list', 'acme', '--limit', '2'],
    ['show', 'acme', exportId],
    ['cancel', 'acme', exportId, '--reason', 'again'],
    ['changes', 'acme'],
    ['open-gate', 'acme', '--reason', 'none'],
    ['settle', 'acme'],
    ['show', 'acme', 'request-0'],
    ['settle', 'acme', 'w-1', '--decision', 'done'],
    ['cancel', 'acme', 'request-0', '--reason', 'r'],
    ['start', 'acme', '--list', 'none'],
    ['start', 'nobody'],
  ]) {
    const ran = async (by: string) => run([...line, '--json', '--by', by]);
    const { stdout, ...other } = await ran('services');
    const overHttp = await ran('http-api');
    expect({ line, stdout, code: other.code }).toEqual({
      ...{ line, stdout: overHttp.stdout, code: overHttp.code },
    });
    expect(other.stderr === '').toBe(overHttp.stderr === '');
  }
});

test('who watches an export gets a page about it, as far as it was seen', async () => {
  const exportId = await startedExport();
  const args = ['watch', 'acme', exportId, '--report', 'new/watched.html', '--every', '0.5'];
  const { code, stderr } = await run(args);
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('new/watched.html'),
  });
  const report = readFileSync(join(folder, 'new/watched.html'), 'utf8');
  for (const seen of [exportId, 'completed, complete', 'SHA-256', 'When each request was sent'])
    expect(report).toContain(seen);
  expect(await run(['watch', 'acme', exportId, '--report', folder])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--report'),
  });
});

test.each([
  [['show', 'acme', 'request-0'], 1, /^exportId: expected an export of connection acme/],
  [['list', 'nobody'], 1, /^connection: expected|nobody/],
  [['list', 'acme', '--stack', 'Another'], 1, /Another does not exist.*Check --stack/],
  [
    ['list', 'acme', '--integration', 'another'],
    1,
    /^No integration fits\. There are:\n {2}--stack /,
  ],
  [['list', 'Acme'], 2, /^CONNECTION: expected 1 to 63 small letters/],
  [['cancel', 'acme', 'request-0'], 2, /^--reason: expected why/],
  [['settle', 'acme', 'w-1'], 2, /^--decision: expected done, retry or drop/],
])('%j exits with %i and says why', async (args, code, problem) => {
  const ran = await run(args);
  expect(ran.code).toBe(code);
  expect(ran.stderr).toMatch(problem);
});

/** Where no write waits or has to be decided about, and no other list waits for its turn. */
const NOT_PLAYED: ReadonlySet<string> = new Set([
  'settle http-api: POST writes/*/settlement',
  'settle services: dynamodb:PutItem',
  'settle services: dynamodb:DeleteItem',
  'settle services: lambda:GetFunctionConfiguration on StartExportFunctionName',
  'settle services: sqs:SendMessage on WriteQueueUrl',
  'settle services: events:PutEvents on the event bus',
  'cancel services: dynamodb:DeleteItem',
  'open-gate services: sqs:SendMessage on WriteQueueUrl',
]);

test(
  'each command needs the rights that docs/command.md names for it, and no others',
  async () => {
    for (const by of ['http-api', 'services']) await playMore(by);
    const { overHttp, ofServices } = documentedRights();
    const named = [
      ...[...overHttp].map(([name, rights]) => [`${name} http-api`, rights] as const),
      ...[...ofServices].map(([name, rights]) => [`${name} services`, rights] as const),
    ];
    const missing = named.flatMap(([command, rights]) =>
      needed
        .of(command, stack.outputs)
        .filter((right) => !rights.includes(right))
        .map((right) => `${command}: ${right}`),
    );
    const unused = named.flatMap(([command, rights]) => {
      const used = needed.of(command, stack.outputs);
      return rights.filter((right) => !used.includes(right)).map((right) => `${command}: ${right}`);
    });

    expect(needed.commands().filter((each) => !named.some(([name]) => name === each))).toEqual([]);
    expect(missing).toEqual([]);
    expect(unused.filter((right) => !NOT_PLAYED.has(right))).toEqual([]);
  },
  SUITE_TIMEOUT_MS,
);

/** What the lines of the page do not come to: the report of an export with changes, and a gate that is closed. */
async function playMore(by: string): Promise<void> {
  await secondExport();
  await run(['watch', 'acme', '--report', `${by}.html`, '--by', by]);
  // Over HTTP a command needs the right to its routes, whatever these do.
  if (by === 'http-api') return;
  const fault = { kind: 'status', status: 429, headers: { 'Retry-After': '3600' } } as const;
  api.setFaults([{ fault }]);
  const exportId = await startedExport();
  const isClosed = async () => (await json('show', 'acme', exportId)).waits.throttles > 0;
  await until('the API has closed the gate', isClosed, { everyMs: 200 });
  api.setFaults([]);
  expect(await run(['open-gate', 'acme', '--reason', 'r', '--by', by])).toMatchObject({ code: 0 });
  await run(['cancel', 'acme', exportId, '--reason', 'r', '--by', by]);
  // A worker that is at it has to be told.
  api.setFaults([{ fault: { kind: 'delay', ms: 3_000 } }]);
  const copied = await startedExport();
  const isAsked = () => api.log.entries.at(-1)?.status === 'pending';
  await until('a worker asks for a page', isAsked, { everyMs: 20 });
  await run(['cancel', 'acme', copied, '--reason', 'r', '--by', by]);
  api.setFaults([]);
}
