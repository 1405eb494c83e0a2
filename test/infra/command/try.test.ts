import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { COMMANDS } from '../../../infra/command/commands.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import type { SimulatorOptions } from '../../../infra/simulator/options.ts';
import type { Simulator } from '../../../infra/simulator/simulator.ts';
import { startTrustedSimulator } from '../../trusted-simulator.ts';
import { unpacked } from '../../unpacked.ts';
import { until } from '../../until.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const KEY = 'cAnArY-of-try-0815';

let folder: string;
let simulator: Simulator;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'customers-try-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => simulator.close());

async function start(options: SimulatorOptions): Promise<void> {
  simulator = await startTrustedSimulator({ organizations: [{ key: KEY }], ...options });
}

async function runTry(args: readonly string[], key = KEY, interruptAt?: (line: string) => boolean) {
  const environment = { CUSTOMERS_API_KEY: key };
  // On a terminal the line is shown anew each second.
  const terminal =
    interruptAt === undefined ? {} : { stderr: { isTTY: true, columns: 200, write: () => {} } };
  const surroundings = sampleSurroundings({ environment, ...terminal });
  const { said, interrupt } = surroundings;
  const isAddressed = args.some((each) => each.startsWith('--base-url='));
  const address = isAddressed ? [] : ['--base-url', simulator.url];
  const given = ['try', ...address, '--out', folder, '--json', ...args];
  const running = runCommand(COMMANDS, given, { ...surroundings, now: Date.now });
  if (interruptAt !== undefined) {
    await until('the moment of Ctrl-C', () => interruptAt(said.stderr));
    interrupt.abort();
  }
  const interruptedAtMs = Date.now();
  const code = await running;
  const sinceInterruptMs = Date.now() - interruptedAtMs;
  if (key !== '') expect(said.stdout + said.stderr).not.toContain(key);
  const result = said.stdout === '' ? undefined : JSON.parse(said.stdout);
  return { code, ...said, result, sinceInterruptMs };
}

async function linesOf(parts: readonly string[]): Promise<readonly string[]> {
  const texts = await Promise.all(parts.map(async (part) => unpacked(part, await readFile(part))));
  return texts.flatMap((text) => text.toString().trimEnd().split('\n'));
}

test('exports a throttled list completely, with the files and the verdict of a deployed export', async () => {
  const limit = { kind: 'fixed-window', requests: 15, windowSeconds: 1 } as const;
  await start({ customers: 200, limit, keyHeader: 'X-Old-Key', meta: 'laravel' });
  const { code, result } = await runTry(['--per-page=10', '--header=X-Old-Key']);

  expect({ code, status: result.status }).toEqual({ code: 0, status: 'completed' });
  expect(result).toMatchObject({ customers: 200, completeness: { verdict: 'complete' } });
  expect(result.throttled).toBeGreaterThan(0);
  expect(await linesOf(result.parts)).toEqual(simulator.customersOf(KEY));
  const manifest = JSON.parse(await readFile(result.manifest, 'utf8'));
  const report = await readFile(result.report, 'utf8');
  expect(report).toContain('pages answered, sent from here');
  expect(report).not.toContain(KEY);
  expect(manifest).toMatchObject({ exportId: result.exportId, completeness: result.completeness });
  const names = await readdir(join(result.manifest, '..'));
  expect(names.filter((name) => !name.startsWith('part-')).sort()).toEqual([
    'manifest.json',
    'report.html',
    'schema.json',
  ]);
  // Client and API share this process, so an answer may wait for it.
  expect(checkLog(simulator.log.entries, { flightMs: 250 }).earlyRequests).toEqual([]);
});

test('settings are named by their options in what is printed of the verdict', async () => {
  await start({ customers: 200 });
  const { said, ...surroundings } = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: KEY } });
  const given = ['try', '--base-url', simulator.url, '--out', folder, '--id-key', 'no'];
  await runCommand(COMMANDS, given, { ...surroundings, now: Date.now });

  expect(said.stdout).toMatch(/^Verdict +unproven$/m);
  expect(said.stdout).toContain('Set --id-key to');
});

test('exports another list by its resource and parameters, compressed by zstd', async () => {
  await start({ invoices: 40 });
  const options = ['--list=open', '--resource=invoices', '--query={"status":"open"}'];
  options.push('--compression=zstd');
  const { code, result } = await runTry(options);

  expect({ code, list: result.list }).toEqual({ code: 0, list: 'open' });
  expect(await linesOf(result.parts)).toEqual(
    simulator.recordsOf(KEY, 'invoices', { status: 'open' }),
  );
});

test('an address that cannot be reached ends it soon, also where files of another address are', async () => {
  await start({ customers: 20 });
  expect((await runTry([])).code).toBe(0);
  await simulator.close();

  const { code, result } = await runTry([]);

  expect({ code, reason: result.reason.code }).toEqual({ code: 1, reason: 'unreachable' });
}, 20_000);

test('a wrong key is sent once, and what helps is said for this command', async () => {
  await start({});
  const { code, result } = await runTry([], 'another-key-1234');

  expect({ code, status: result.status }).toEqual({ code: 1, status: 'halted' });
  expect(result.reason.message).toMatch(/did not accept the key \(status 401\).*CUSTOMERS_API_KEY/);
  expect(simulator.log.entries).toHaveLength(1);
});

test('Ctrl-C ends it within a second: no request more, no partial file, finished parts stay', async () => {
  // A throttle ends a step, which stores a part. So few that a busy machine is throttled too.
  const limit = { kind: 'fixed-window', requests: 10, windowSeconds: 1 } as const;
  await start({ customers: 20_000, invoices: 30, latencyMs: 5, limit });
  const seen = () => {
    const { entries } = simulator.log;
    const throttledAtMs = entries.find(({ status }) => status === 429)?.at ?? Infinity;
    // The next step, which asks after the wait: the part of the one before is committed.
    return entries.some(({ at, status }) => status === 200 && at >= throttledAtMs + 1_000);
  };
  const { code, result, sinceInterruptMs } = await runTry(
    ['--per-page=10', '--walk=fast'],
    KEY,
    seen,
  );
  const asked = () =>
    simulator.log.entries.filter(({ resource }) => resource === 'customers').length;
  const askedAtEnd = asked();

  expect({ code, status: result.status }).toEqual({ code: 130, status: 'cancelled' });
  // A second, and as much for a busy machine.
  expect(sinceInterruptMs).toBeLessThan(2_000);
  const files = await readdir(join(result.report, '..'));
  expect(files.filter((name) => name.endsWith('.incomplete'))).toEqual([]);
  const parts = files.filter((name) => name.endsWith('.ndjson.gz')).sort();
  expect(parts.length).toBeGreaterThan(0);
  const stored = await linesOf(parts.map((name) => join(result.report, '..', name)));
  expect(stored).toEqual(simulator.customersOf(KEY).slice(0, stored.length));
  // Time in which a step that goes on would be seen.
  expect((await runTry(['--list=invoices'])).code).toBe(0);
  expect(asked()).toBe(askedAtEnd);
});

test('Ctrl-C before anything is stored: the requests that were made are counted all the same', async () => {
  await start({ customers: 20_000, latencyMs: 5 });
  const seen = () => simulator.log.entries.length > 20;
  const { code, result } = await runTry(['--per-page=10', '--walk=fast'], KEY, seen);

  expect({ code, status: result.status, pages: result.pages }).toEqual({
    ...{ code: 130, status: 'cancelled', pages: 0 },
  });
  expect(result.requests).toBeGreaterThanOrEqual(10);
  expect(result.requests).toBeLessThanOrEqual(simulator.log.entries.length);
});

test('Ctrl-C ends a wait of a minute', async () => {
  await start({ limit: { kind: 'fixed-window', requests: 3, windowSeconds: 60 } });
  const waits = (line: string) => line.includes('waiting');
  const { code, result, sinceInterruptMs } = await runTry(['--per-page=10'], KEY, waits);

  expect({ code, status: result.status }).toEqual({ code: 130, status: 'cancelled' });
  // Long before the wait is over.
  expect(sinceInterruptMs).toBeLessThan(20_000);
});

test('Ctrl-C before the first request ends it, too', async () => {
  await start({});
  const { code, result } = await runTry(['--connection=early'], KEY, () => true);

  expect({ code, status: result.status }).toEqual({ code: 130, status: 'cancelled' });
  expect(simulator.log.entries).toEqual([]);
});

test.each([
  [['--per-page=0'], /^--per-page: expected a whole number from 1/],
  [['--query={"order":{}}'], /^--query\.order: expected text, true, false or a number/],
  [
    ['--meta-keys={"pages":"count"}'],
    /^--meta-keys: expected one of totalPages, total, .*, got pages$/m,
  ],
  [['--meta-keys={"perPage":1}'], /^--meta-keys\.perPage: expected text or false/],
  [['--meta-keys={"total":"a","total":"b"}'], /^--meta-keys: total is there more than once/],
  [['--list=query', '--resource=?'], /^--resource: expected names/],
  [['--list=Customers'], /^--list: expected 1 to 63 small letters/],
  [['--header=A B'], /^--header/],
  [['--base-url=http://api.example.com'], /^--base-url: the scheme must be https/],
])('%j is refused by its name before anything is asked', async (args, problem) => {
  await start({});
  const { code, stderr } = await runTry(args);

  expect({ code, asked: simulator.log.entries.length }).toEqual({ code: 2, asked: 0 });
  expect(stderr).toMatch(problem);
  expect(stderr.trimEnd().split('\n')).toHaveLength(1);
});

test('without a key or a terminal to ask for it, nothing is asked', async () => {
  await start({});
  expect((await runTry([], '')).stderr).toMatch(/^CUSTOMERS_API_KEY: expected the API key/);
});

test('says which address to give when it holds the path of the list, and shows no key in it', async () => {
  await start({ customers: 3 });
  const { code, stderr } = await runTry([`--base-url=${simulator.url}/2.0/customers`]);

  expect(code).toBe(1);
  expect(stderr).toContain(`If the API has no such path, give --base-url ${simulator.url}.`);
  expect((await runTry([`--base-url=${simulator.url}/${KEY}/customers`])).stderr).toContain(
    '--base-url: holds the key',
  );
});
