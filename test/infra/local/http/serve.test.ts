import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { ListObjectsV2Command, S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { servedLines } from '../../../../infra/local/http/served-lines.ts';
import { runStart } from '../../../../infra/local/start/run-start.ts';
import { servedOperations } from '../../../../infra/local/start/served-operations.ts';
import { parseStartOptions } from '../../../../infra/local/start/start-options.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import { operationsOf } from '../../../../lib/writes/operation.ts';
import { shellBlocks } from '../../../docs/documented-lines.ts';
import { trust } from '../../../trust.ts';
import { until } from '../../../until.ts';
import { type SampleSurroundings, sampleSurroundings } from '../../command/sample-surroundings.ts';
import { type Signer, signedFetch } from '../signed-fetch.ts';
import { HAS_PROC, portsOf } from '../start/processes.ts';

const KEY = 'cAnArY-of-serve-4711';
const SERVE_TIMEOUT_MS = 120_000;

let simulator: Simulator;
let folder: string;
let surroundings: SampleSurroundings;
/** Its exit code. */
let served: Promise<number>;
let portsBefore: readonly number[] = [];
/** What it has printed so far, once the lines for a person are there. */
let stdout = '';
beforeAll(async () => {
  simulator = await startSimulator({ customers: 30, organizations: [{ key: KEY }] });
  folder = await mkdtemp(join(tmpdir(), 'customers-serve-'));
  const caFile = join(folder, 'ca.pem');
  await writeFile(caFile, simulator.caPem);
  const operationsFile = join(folder, 'operations.json');
  const operation = { name: 'create', method: 'POST', resource: 'customers' };
  await writeFile(operationsFile, JSON.stringify([{ ...operation, acceptsIdempotencyKey: true }]));
  const lists = [
    '--operations',
    operationsFile,
    '--lists',
    '{"open":{"resource":"invoices","query":{"status":"open"}}}',
  ];
  const options = ['--base-url', simulator.url, '--per-page', '10', '--out', join(folder, 'out')];
  trust(simulator.caPem);
  if (HAS_PROC) portsBefore = portsOf([process.pid]);
  surroundings = sampleSurroundings({
    environment: { CUSTOMERS_API_KEY: KEY, NODE_EXTRA_CA_CERTS: caFile },
  });
  const { said } = surroundings;
  served = runStart(['--serve', ...lists, ...options], surroundings);
  await until('the printed lines', () => said.stdout.includes('A live page'), {
    seen: () => said,
  });
  stdout = said.stdout;
}, SERVE_TIMEOUT_MS);
afterAll(async () => {
  surroundings.interrupt.abort();
  await served;
  await simulator.close();
  await rm(folder, { recursive: true, force: true });
});

const printed = (begin: string, text = stdout) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .find((line) => line.startsWith(begin)) ?? '';

/** Runs a printed line after those that come before all others, as a person would who pastes them. */
async function paste(title: string, text = stdout): Promise<string> {
  const line = printed(title, text);
  const call = printed('call()').replace('curl', 'curl -sS --fail-with-body');
  const lines = [printed('export AWS_'), call, line.slice(line.indexOf('call '))];
  return (await promisify(execFile)('sh', ['-c', lines.join('\n')])).stdout;
}

interface File {
  readonly kind: string;
  readonly url: string;
  readonly sha256: string;
}

/** The records of the parts, by plain curl, without credentials; and nothing by a URL that was changed. */
async function downloaded(files: readonly File[]): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const { kind, url, sha256 } of files) {
    const curl = promisify(execFile)('curl', ['-sS', '--fail', url], { encoding: 'buffer' });
    const { stdout: body } = await curl;
    expect(hash('sha256', body)).toBe(sha256);
    if (kind === 'part') lines.push(...gunzipSync(body).toString().trimEnd().split('\n'));
    expect((await fetch(url.replace('Expires=900', 'Expires=901'))).status).toBe(403);
  }
  return lines;
}

/** Who the printed lines make the person that pastes them. */
function printedSigner(): Signer {
  const [, region = '', accessKeyId = '', secretAccessKey = ''] =
    /AWS_REGION=(\S+) AWS_ACCESS_KEY_ID=(\S+) AWS_SECRET_ACCESS_KEY=(\S+) AWS_SESSION_TOKEN=$/.exec(
      printed('export AWS_'),
    ) ?? [];
  return { region, credentials: { accessKeyId, secretAccessKey } };
}

test('every printed line works as it is printed', async () => {
  const { files } = JSON.parse(await paste('URLs of its files'));
  const list = JSON.parse(await paste('All exports'));
  const one = JSON.parse(await paste('One export '));
  const page = await paste('A live page ');
  const start = await paste('Start an export ');
  const startOfList = await paste('Start an export of open');
  const oneOfList = JSON.parse(await paste('One export of open'));
  const pageOfList = await paste('A live page of open');

  expect(list.exports.map(({ exportId }: { exportId: string }) => exportId)).toContain(
    one.exportId,
  );
  expect(one).toMatchObject({
    status: 'completed',
    progress: { customers: 30, percent: 100 },
    completeness: { verdict: 'complete' },
  });
  expect(await downloaded(files)).toEqual(simulator.customersOf(KEY));
  const records = simulator.customersOf(KEY).slice(0, 2);
  expect(page.startsWith(`{"customers":[${records.join(',')}],`)).toBe(true);
  const open = simulator.recordsOf(KEY, 'invoices', { status: 'open' });
  expect(pageOfList.startsWith(`{"records":[${open.slice(0, 2).join(',')}],`)).toBe(true);
  expect(oneOfList).toMatchObject({ list: 'open', status: 'completed' });
  expect(startOfList).toMatch(/"list":"open"/);
  expect(start).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
  expect(start).toMatch(/\r\nlocation: exports\/request-\w+\r\n/);
});

test('so do those of a write, which are printed beside the simulated API', async () => {
  const ofDemo = { serve: { port: 0 }, baseUrl: undefined };
  const { example: exampleWrite } = await servedOperations(ofDemo);
  const [, url = ''] = /up at (\S+) /.exec(printed('The HTTP API')) ?? [];
  const own = { connection: 'demo', exports: [], secretPrefix: '' };
  const endpoint = { endpoint: '', ...printedSigner() };
  const text = servedLines({ ...own, url, exampleWrite, endpoint });

  expect(await paste('A write', text)).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
  expect(JSON.parse(await paste('How it ended', text))).toMatchObject({
    writeId: 'first',
    operation: 'create',
  });
});

(HAS_PROC ? test : test.skip)(
  'two ports are open, and both refuse who has no credentials of the run',
  async () => {
    const ports = portsOf([process.pid]).filter((port) => !portsBefore.includes(port));
    const answers = ports.map(async (port) => {
      const url = `http://127.0.0.1:${port}/connections/demo/exports`;
      return [(await fetch(url)).status, (await fetch(url, { method: 'POST' })).status];
    });

    expect(await Promise.all(answers)).toEqual([
      [403, 403],
      [403, 403],
    ]);
    expect(stdout).toContain(`127.0.0.1:${ports[0]}`);
    expect(stdout).toContain(`127.0.0.1:${ports[1]}`);
  },
);

test('a person cancels an export under the hands of its worker, and nothing of it is left', async () => {
  const base = `${/http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0]}/connections/demo/exports`;
  const { files } = JSON.parse(await paste('URLs of its files'));
  const { origin, pathname } = new URL(files[0].url);
  // Those of the test before, of both lists: the export of this test would wait in line behind them.
  const allEnded = ({ exports, queued }: Shown) =>
    queued.length === 0 && exports.every(({ status }) => status === 'completed');
  await untilStatus(base, allEnded);
  const throttle = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } } as const;
  simulator.setFaults([
    // The first step ends with a part, and the second one waits for its pages: long enough on a busy machine.
    { when: { page: 2 }, times: 1, fault: throttle },
    { when: { page: 2 }, fault: { kind: 'delay', ms: 4_000 } },
  ]);
  const asked = () => simulator.log.entries.length;
  const before = asked();
  const started = await signedFetch(printedSigner(), base, { method: 'POST' });
  const { exportId } = Object(await started.json()).export;
  const url = `${base}/${exportId}`;
  const hasPart = ({ parts }: Shown) => parts !== undefined && parts.count > 0;
  await untilStatus(url, (shown) => hasPart(shown) && asked() >= before + 4);

  const body = JSON.stringify({ reason: 'Started by mistake.', parts: 'remove' });
  const headers = { 'content-type': 'application/json' };
  const cancel = { method: 'POST', body, headers };
  const cancelled = await signedFetch(printedSigner(), `${url}/cancel`, cancel);
  expect([cancelled.status, Object(await cancelled.json()).status]).toEqual([200, 'cancelled']);
  const left = await untilStatus(url, ({ cancellation }) => cancellation.removedAt !== null);
  simulator.setFaults([]);

  expect(left).toMatchObject({
    parts: { count: 0 },
    cancellation: { by: expect.stringContaining('user/local'), reason: 'Started by mistake.' },
  });
  const s3 = new S3Client({ endpoint: origin, forcePathStyle: true, ...printedSigner() });
  const folder = `exports/connection=demo/list=customers/export=${exportId}/`;
  const bucket = { Bucket: pathname.split('/')[1], Prefix: folder };
  expect((await s3.send(new ListObjectsV2Command(bucket))).Contents ?? []).toEqual([]);
  s3.destroy();
  const again = await signedFetch(printedSigner(), `${url}/cancel`, cancel);
  expect(await again.json()).toEqual(left);
  const refused = await signedFetch(printedSigner(), `${url}/files`);
  expect([refused.status, Object(await refused.json()).exportStatus]).toEqual([409, 'cancelled']);
}, 60_000);

interface Shown {
  readonly exports: readonly { readonly status: string }[];
  readonly queued: readonly unknown[];
  /** Not while the export is queued, as it is until the one before has left the line. */
  readonly parts?: { readonly count: number };
  readonly cancellation: { readonly removedAt: string | null };
}

function untilStatus(url: string, isSo: (shown: Shown) => boolean): Promise<unknown> {
  let shown: unknown;
  const look = async () => {
    shown = await (await signedFetch(printedSigner(), url)).json();
    return isSo(Object(shown)) ? shown : undefined;
  };
  return until(url, look, { seen: () => shown, everyMs: 100 });
}

test('a secret that is added meanwhile makes a connection, without its key in an argument', async () => {
  const address = /--endpoint-url (\S+) .*--name (\S+)second /.exec(stdout);
  const [, endpoint = '', prefix = ''] = address ?? [];
  const client = new SecretsManagerClient({ endpoint, ...printedSigner() });
  await client.send(new CreateSecretCommand({ Name: `${prefix}second`, SecretString: KEY }));
  client.destroy();

  const base = `${/http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0]}/connections`;
  const statusOf = async (connection: string) =>
    (await signedFetch(printedSigner(), `${base}/${connection}/exports`, { method: 'POST' }))
      .status;
  // Not before: a function that has missed it looks for it again after ten seconds.
  expect(await statusOf('second')).toBe(202);
  expect(await statusOf('third')).toBe(404);
});

/** By the function, or by the gateway. */
const NOT_TAKEN = /"code":"(unknown-route|invalid-request|method-not-allowed)"|^\{"message":/;

/** Pages with calls of the HTTP API, which are written for any shell. */
const PAGES = ['docs/http-api.md', 'docs/changes.md', 'docs/writes.md'];

test('every call on the pages is taken by the HTTP API, and its files are as the page checks them', async () => {
  const base = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
  const [, exportId = ''] = /exports\/(request-\w+)\/files/.exec(stdout) ?? [];
  const here = (line: string) =>
    line
      .replace('http://127.0.0.1:8080', base)
      .replace(/request-[0-9a-f]{20}/, exportId)
      .replace('{"list": "invoices"}', '{"list": "open"}');
  const lines = PAGES.flatMap(shellBlocks)
    .filter(({ needsAws }) => !needsAws)
    .flatMap((block) => block.lines.map(here))
    .filter((line) => !line.startsWith('npm ') && !line.startsWith('export AWS_'));
  const cwd = await mkdtemp(join(folder, 'pages-'));
  await writeFile(
    join(cwd, 'changes-00001-a.ndjson.gz'),
    gzipSync('{"change":"removed","id":7}\n'),
  );
  const shell = async (line: string) => {
    const given = [printed('export AWS_'), `U=${base}/connections/demo EXPORT_ID=${exportId}`];
    const calls = lines.filter((each) => each.startsWith('call()'));
    const script = ['set -e -o pipefail', ...given, ...calls, line].join('\n');
    return (await promisify(execFile)('bash', ['-c', script], { cwd })).stdout;
  };
  const said = new Map<string, string>();
  for (const line of lines) {
    const answerOf = async () => {
      const answer = await shell(line);
      return answer.includes('"Too Many Requests"') ? undefined : { answer };
    };
    // Pasted lines come faster than the gateway takes calls, now and then.
    said.set(line, (await until(line, answerOf, { everyMs: 100 })).answer);
  }

  expect(lines.length).toBeGreaterThan(15);
  for (const [line, answer] of said) {
    expect({ line, answer }).not.toEqual({ line, answer: expect.stringMatching(NOT_TAKEN) });
  }
  expect(said.get('gzip -dc part-*.ndjson.gz | wc -l')?.trim()).toBe('30');
  expect(said.get(lines.find((line) => line.includes('select(.change ==')) ?? '')).toBe('7\n');
}, 60_000);

test('Ctrl-C ends all of it as meant, and no key was shown', async () => {
  const url = /http:\/\/127\.0\.0\.1:\d+/.exec(stdout)?.[0] ?? '';
  surroundings.interrupt.abort();

  expect(await served).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
  const { said } = surroundings;
  expect(said.stdout + said.stderr).not.toContain(KEY);
}, 180_000);

test.each([
  [['--port', '80'], '--port: expected --serve beside it'],
  [['--operations', 'file'], '--operations: expected --serve beside it'],
  [['--schedule', 'rate(1 minute)'], '--schedule: expected --serve beside it'],
  [['--serve', '--port', '70000'], '--port: expected a whole number from 0 to 65535, got 70000'],
  [['--serve', '--port', 'x'], '--port: expected a whole number from 0 to 65535, got x'],
])('refuses %j', (args, message) => {
  expect(() => parseStartOptions(args)).toThrow(message);
});

test('reads the operations of a file, and knows those of the simulated API', async () => {
  const file = join(folder, 'operations.json');
  await writeFile(file, '[{"name":"own"}]');
  const ofFile = parseStartOptions(['--serve', '--operations', file]);
  const ofDemo = parseStartOptions(['--serve']);
  const ofApi = parseStartOptions(['--serve', '--base-url', simulator.url]);
  if (ofFile === 'help' || ofDemo === 'help' || ofApi === 'help') throw new Error('help');

  expect(await servedOperations(ofFile)).toEqual({ operations: [{ name: 'own' }] });
  expect(await servedOperations(ofApi)).toEqual({ operations: [] });
  const { operations, example } = await servedOperations(ofDemo);
  expect(operationsOf(operations).map(({ name }) => name)).toEqual(['create', 'change', 'delete']);
  expect(JSON.parse(example ?? '')).toMatchObject({ operation: 'create' });
});

test.each([
  ['{}', '--operations: expected a list of operations as JSON'],
  [undefined, 'wrong.json: there is no such file (ENOENT)'],
])('refuses a file of operations with %s', async (text, message) => {
  const file = join(folder, 'wrong.json');
  if (text === undefined) await rm(file, { force: true });
  else await writeFile(file, text);
  const options = { serve: { port: 0, operationsFile: file }, baseUrl: undefined };

  await expect(servedOperations(options)).rejects.toThrow(message);
});

test('reads --serve with and without a port', () => {
  expect(parseStartOptions([])).toMatchObject({ serve: undefined });
  expect(parseStartOptions(['--serve'])).toMatchObject({ serve: { port: 0 } });
  expect(
    parseStartOptions(['--serve', '--port', '8080', '--schedule', 'rate(1 day)']),
  ).toMatchObject({ serve: { port: 8080 }, settings: { schedule: 'rate(1 day)' } });
});
