import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { ASSEMBLY_CACHE } from '../../../../infra/local/start/kept-assembly.ts';
import { runStart } from '../../../../infra/local/start/run-start.ts';
import { DEMO_KEY, type SimulatorOptions } from '../../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import { ApiKey } from '../../../../lib/key/api-key.ts';
import { redactorOf } from '../../../../lib/key/redaction.ts';
import { amountOf, isDeep } from '../../../deep/depth.ts';
import { trust } from '../../../trust.ts';
import { until } from '../../../until.ts';
import { sampleSurroundings } from '../../command/sample-surroundings.ts';
import { keepAssembly } from './keep-assembly.ts';
import { HAS_PROC, portsOf, processesOfGroup } from './processes.ts';
import { startProgram } from './start-program.ts';

const DEMO_TIMEOUT_MS = 180_000;
/** For one or two runs; most of it is the synthesis, which takes its time on a busy machine. */
const RUN_TIMEOUT_MS = 180_000;
const EXIT = { completed: 0, notCompleted: 1, usage: 2, interrupted: 130 };

const folder = mkdtempSync(join(tmpdir(), 'start-test-'));
const inFolder = (name: string) => join(folder, name);

/** Calls the program in this process, as most of the time of one of its own is its start. */
async function startHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  demoOptions: SimulatorOptions = {},
) {
  const surroundings = sampleSurroundings({ environment });
  const code = await runStart(args, { ...surroundings, demoOptions });
  return { code, ...surroundings.said };
}

const simulators: Simulator[] = [];

afterAll(async () => {
  await Promise.all(simulators.map((simulator) => simulator.close()));
  rmSync(folder, { recursive: true });
});

/** An API in this process, and what a run needs to be let in. */
async function startApi(customers: number) {
  const simulator = await startSimulator({ customers });
  simulators.push(simulator);
  trust(simulator.caPem);
  const caFile = inFolder(`ca-${simulator.port}.pem`);
  writeFileSync(caFile, simulator.caPem);
  const environment = { CUSTOMERS_API_KEY: DEMO_KEY, NODE_EXTRA_CA_CERTS: caFile };
  return { simulator, baseUrl: `--base-url=${simulator.url}`, environment };
}

const filesIn = (out: string): string[] =>
  existsSync(out)
    ? readdirSync(out, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
    : [];

/** Some records of these are not on a page that does not ask for them. */
const SELECTED = '{"open":{"resource":"invoices","query":{"status":"open"}},"subscriptions":{}}';

// In `npm test` the next one runs the same program with fewer customers.
(isDeep ? test : test.skip)(
  'exports the 20,000 customers of the simulated API, throttled, and prints one line',
  async () => {
    const out = inFolder('demo');

    const { code, stdout, stderr } = await startProgram(['--json', '--out', out]).ended;

    expect(code).toBe(EXIT.completed);
    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    const result = JSON.parse(stdout);
    expect(result).toMatchObject({
      status: 'completed',
      connection: 'demo',
      list: 'customers',
      customers: 20_000,
      earlyRequests: 0,
      matchesApi: true,
      completeness: { verdict: 'complete' },
      reason: null,
    });
    expect(result.throttled).toBeGreaterThanOrEqual(3);
    expect(result.estimatedCostUsd).toBeGreaterThan(0);
    expect(filesIn(out).toSorted()).toEqual(filesOf(result).toSorted());
    expect(JSON.parse(readFileSync(result.schema, 'utf8')).records).toBe(20_000);
    expect(readFileSync(result.report, 'utf8')).toContain('completed, complete');
    expect(openToOthers(out)).toEqual([]);
    expect(stderr).toMatch(/^20,000 of 20,000 customers/m);
  },
  DEMO_TIMEOUT_MS,
);

/** Enough pages for changes while the second export reads, and enough records that what is removed is not held. */
const DEMO = { customers: 1_500, invoices: 500, subscriptions: 500 };
const inDemo = inFolder('changes');
let firstRun: ReturnType<typeof startDemo> | undefined;

/** Exports all lists of a simulated API in this process. */
function startDemo(...options: readonly string[]) {
  const args = ['--json', '--out', inDemo, '--lists', SELECTED, ...options];
  return startHere(args, {}, DEMO);
}

/** Two exports of each list, for the tests of both kinds of runs into this folder. */
function startDemoTwice() {
  firstRun ??= keepAssembly(['--lists', SELECTED]).then(() => startDemo('--changes'));
  return firstRun;
}

test(
  'exports all lists of the simulated API twice while they change, and shows what has changed by its own record',
  async () => {
    const { code, stdout, stderr } = await startDemoTwice();

    expect(stdout).toMatch(/^\{[^\n]*\}\n$/);
    const { exports, ...result } = JSON.parse(stdout);
    expect(result.estimatedCostUsd).toBeGreaterThan(0);
    expect({ code, ...result }).toMatchObject({
      code: EXIT.completed,
      status: 'completed',
      connection: 'demo',
      earlyRequests: 0,
    });
    expect(exports).toEqual(
      ['customers', 'open', 'subscriptions'].map((list) =>
        expect.objectContaining({
          list,
          matchesApi: true,
          completeness: expect.objectContaining({ verdict: 'complete' }),
          changes: expect.objectContaining({ state: 'found', matchesApi: true }),
        }),
      ),
    );
    const [customers, open] = exports;
    expect(JSON.parse(readFileSync(customers.schema, 'utf8')).records).toBe(customers.customers);
    expect(readFileSync(customers.report, 'utf8')).toContain('completed, complete');
    const { counts, samples, since, files } = customers.changes;
    // Those between the exports, and some of those while the second one read.
    expect(counts.added).toBeGreaterThan(25);
    expect(counts.removed).toBeGreaterThanOrEqual(20);
    expect(counts.changed).toBeGreaterThan(50);
    expect(counts.before - counts.removed + counts.added).toBe(counts.now);
    expect(samples).toHaveLength(9);
    expect(samples[3]).toEqual({
      change: 'changed',
      id: expect.stringMatching(/^90071992547\d{5}$/),
      members: expect.arrayContaining(['version']),
    });
    expect(since).not.toBe(customers.exportId);
    expect(open.changes.counts.now).toBeLessThan(counts.now);
    expect(filesIn(inDemo)).toEqual(expect.arrayContaining([...files, customers.changes.summary]));
    expect(filesIn(inDemo).filter((file) => file.endsWith('.index'))).toEqual([]);
    expect(stderr).toMatch(/^Second export, while the list changes$/m);
    expect(stderr).toMatch(/^open \(2 of 3 lists\): /m);
  },
  DEMO_TIMEOUT_MS,
);

/** What is in the folder of a list after its first export. */
function filesOf({ parts, ...files }: Record<'parts' | 'manifest' | 'schema' | 'report', string>) {
  const { manifest, schema, report } = files;
  const folder = join(manifest, '../..');
  const latest = ['latest.json', 'latest-complete.json', 'latest-schema.json'].map((name) =>
    join(folder, name),
  );
  const isSummary = (file: string) => /\/changes-[0-9a-f]{16}\.json$/.test(file);
  const changes = filesIn(join(manifest, '..')).find(isSummary) ?? 'a summary of changes';
  return [...parts, manifest, schema, report, changes, ...latest];
}

const LOCAL = '--base-url=https://127.0.0.1:2';
test.each([
  [['--speed=1'], /^Command line: .*'--speed'/],
  [['--per-page=ten'], /^--per-page: expected a number, got ten/],
  [['--per-page=0'], /^--per-page: expected a whole number from 1 to 10000, got 0/],
  [['--first-page=2'], /^--first-page: /],
  [['--requests-per-second=0'], /^--requests-per-second: /],
  [['--lists={"invoices":{"perPage":0}}'], /^--lists\.invoices\.perPage: expected a whole number/],
  [['--connection=Not A Name'], /^--connection: /],
  [['--base-url=http://127.0.0.1:2'], /^--base-url: .*https/],
  [['--base-url=nowhere'], /^--base-url: /],
  [[LOCAL], /^CUSTOMERS_API_KEY: .*got neither/],
  [[LOCAL, '--per-page=0'], /^--per-page: /],
])(
  '%j is a usage error of one line that names the option',
  async (args, message) => {
    const hasKey = args[0] !== LOCAL;
    const { code, stdout, stderr } = await startHere(
      [...args, '--out', inFolder('usage')],
      hasKey ? { CUSTOMERS_API_KEY: 'any-key' } : {},
    );

    const [problem = '', ...more] = stderr.trimEnd().split('\n');
    expect({ code, stdout, more }).toEqual({ code: EXIT.usage, stdout: '', more: [] });
    expect(problem).toMatch(message);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(filesIn(inFolder('usage'))).toEqual([]);
  },
  RUN_TIMEOUT_MS,
);

test(
  'an unusable key is a usage error that shows no character of it',
  async () => {
    const { code, stderr } = await startHere([LOCAL], { CUSTOMERS_API_KEY: 'zqx zqx' });

    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/^The API key has white space inside\..*\n$/);
    expect(stderr).not.toContain('zqx');
  },
  RUN_TIMEOUT_MS,
);

test(
  'a folder that cannot be written is a usage error that names --out',
  async () => {
    const file = inFolder('a-file');
    writeFileSync(file, '');
    const { baseUrl, environment } = await startApi(10);

    const { code, stderr } = await startHere([baseUrl, '--out', file], environment);

    expect(code).toBe(EXIT.usage);
    expect(stderr).toMatch(/^--out: cannot write .*\)\n$/m);
  },
  RUN_TIMEOUT_MS,
);

test(
  'a port at which nobody listens ends the run soon, before the stack is there, with its reason by the name of the option',
  async () => {
    const { simulator, environment } = await startApi(10);
    const silent = new URL(simulator.url);
    // No program gets this port, as one that was let go might.
    silent.port = '2';
    // The address is in the stack that is served, so this one was never synthesized.
    const args = [`--base-url=${silent.href}`, '--json', '--serve', '--out', inFolder('refused')];
    const { code, stdout, stderr } = await startHere(args, environment);

    expect(code).toBe(EXIT.notCompleted);
    const told = /^The host in --base-url refused the connection \(ECONNREFUSED\)/m;
    expect(JSON.parse(stdout)).toEqual({
      ...{ status: 'failed', requests: 0 },
      reason: { code: 'unreachable', message: expect.stringMatching(told) },
    });
    expect(stderr).toMatch(told);
    expect(stderr).not.toContain('Starting the stack');
  },
  RUN_TIMEOUT_MS,
);

test(
  'a wrong key costs one request for all lists, ends with what to do, and is shown nowhere',
  async () => {
    const { simulator, baseUrl, environment } = await startApi(500);
    const key = 'wrong"key/of+a%stranger\\with=signs';
    const out = inFolder('wrong-key');

    const { code, stdout, stderr } = await startHere(
      [baseUrl, '--lists', SELECTED, '--json', '--out', out],
      { ...environment, CUSTOMERS_API_KEY: key },
    );

    expect(code).toBe(EXIT.notCompleted);
    expect(simulator.log.entries.map(({ status }) => status)).toEqual([401]);
    const result = JSON.parse(stdout);
    const reason = { code: 'authentication-failure', message: expect.stringMatching(/key/) };
    expect(result).toMatchObject({
      status: 'halted',
      exports: [
        { list: 'customers', status: 'halted', requests: 1, manifest: null, reason },
        { list: 'open', status: 'queued', requests: 0, manifest: null, reason: null },
        { list: 'subscriptions', status: 'queued', requests: 0, manifest: null, reason: null },
      ],
    });
    expect(result.exports[0].reason.message).toMatch(/Check the key in CUSTOMERS_API_KEY/);
    expect(result.exports[0].reason.message).not.toMatch(/secret/);
    const redact = redactorOf([ApiKey.from(key)]);
    const said = [stdout, stderr, ...filesIn(out).map((file) => readFileSync(file, 'latin1'))];
    expect(said.map(redact)).toEqual(said);
  },
  RUN_TIMEOUT_MS,
);

(HAS_PROC ? test : test.skip)(
  'Ctrl-C in the middle ends every process and port that was started',
  async () => {
    // Of its own, since other runs at the same time make folders too.
    const temporary = inFolder('temporary');
    mkdirSync(temporary);
    await keepAssembly([]);
    const run = startProgram(['--out', inFolder('interrupted')], { TMPDIR: temporary });
    await run.said('waiting until');
    const ports = portsOf(processesOfGroup(run.pid));
    expect(ports.length).toBeGreaterThanOrEqual(2);
    expect(processesOfGroup(run.pid).length).toBeGreaterThanOrEqual(3);

    // A terminal sends it to the whole group.
    process.kill(-run.pid, 'SIGINT');
    const { code, stdout, stderr } = await run.ended;

    expect({ code, stdout }).toEqual({ code: EXIT.interrupted, stdout: '' });
    expect(stderr).toMatch(/\nInterrupted\. [^\n]*\n$/);
    expect(processesOfGroup(run.pid)).toEqual([]);
    expect(await Promise.all(ports.map(accepts))).toEqual(ports.map(() => false));
    expect(readdirSync(temporary)).toEqual([]);
  },
  RUN_TIMEOUT_MS,
);

(HAS_PROC ? test : test.skip)(
  'kill -9 leaves no process, also none that stands still, and no folder',
  async () => {
    const temporary = inFolder('killed');
    mkdirSync(temporary);
    const run = startProgram(['--out', inFolder('killed-out')], { TMPDIR: temporary });
    await run.said('0 customers');
    const others = processesOfGroup(run.pid).filter((pid) => pid !== run.pid);
    expect(others.length).toBeGreaterThanOrEqual(2);
    expect(filesIn(temporary).length).toBeGreaterThanOrEqual(3);
    // Nobody else gets into the folder of a run, or of an assembly.
    const modes = [temporary, ASSEMBLY_CACHE.directory].flatMap((parent) =>
      readdirSync(parent).map((name) => modeOf(join(parent, name))),
    );
    expect(new Set(modes)).toEqual(new Set([0o700]));

    for (const pid of others) process.kill(pid, 'SIGSTOP');
    process.kill(run.pid, 'SIGKILL');

    await untilNone(() => processesOfGroup(run.pid));
    await untilNone(() => readdirSync(temporary));
  },
  RUN_TIMEOUT_MS,
);

(HAS_PROC ? test : test.skip)(
  'ends when npm is killed, and when its terminal is closed',
  async () => {
    const temporary = inFolder('npm');
    mkdirSync(temporary);
    const environment = { CUSTOMERS_API_KEY: DEMO_KEY, TMPDIR: temporary };
    const asNpm = { ...environment, npm_lifecycle_event: 'start' };
    const ways = [
      { own: environment, parent: [], signal: 'SIGHUP' },
      { own: asNpm, parent: NPM, signal: 'SIGKILL' },
      { own: asNpm, parent: [...NPM, 'sh', '-c', '"$0" "$@"; exit'], signal: 'SIGKILL' },
    ] as const;

    const ending = ways
      .slice(0, amountOf({ short: 2, deep: 3 }))
      .map(async ({ own, parent, signal }) => {
        // It takes the connection, and is silent.
        const api = createServer((socket) => socket.on('error', () => {}).resume()).listen(0);
        await once(api, 'listening');
        const { port } = Object(api.address());
        const args = [`--base-url=https://127.0.0.1:${port}`, '--out', inFolder('npm-out')];
        const connected = once(api, 'connection');
        const run = startProgram(args, own, parent);
        await connected;
        process.kill(run.pid, signal);
        // By itself it would end in some seconds, for want of an answer.
        expect((await run.ended).stderr).toMatch(/^Interrupted\. /m);
        await untilNone(() => processesOfGroup(run.pid));
        api.close();
      });
    await Promise.all(ending);
    await untilNone(() => readdirSync(temporary));
  },
  RUN_TIMEOUT_MS,
);

/** Runs a program as npm does: it waits for its end. Some shells stay in between, others do not. */
const NPM = [
  '--eval',
  'require("child_process").spawn(process.argv[1], process.argv.slice(2), { stdio: "inherit" })',
  '--',
];

/** Waits until nothing is found any more. */
async function untilNone(find: () => readonly unknown[]): Promise<void> {
  await until('nothing to be left', () => find().length === 0, { seen: find, everyMs: 20 });
}

/** Files and folders below a folder that others may read or write. */
function openToOthers(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => (modeOf(join(folder, name)) & 0o077) !== 0);
}

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

test(
  'a second run into the same folder synthesizes nothing, keeps the first exports of all lists and moves latest.json',
  async () => {
    const latest = (list: string) => {
      const file = join(inDemo, `connection=demo/list=${list}/latest.json`);
      return JSON.parse(readFileSync(file, 'utf8')).exportId;
    };
    const { exports } = JSON.parse((await startDemoTwice()).stdout);
    const ids = exports.map(({ exportId }: { exportId: string }) => exportId);
    const lists = exports.map(({ list }: { list: string }) => list);
    expect(lists.map(latest)).toEqual(ids);
    const moving = new Set(filesIn(inDemo).filter((file) => /\/latest[^/]*\.json$/.test(file)));
    const contents = () =>
      new Map(filesIn(inDemo).map((file) => [file, readFileSync(file, 'base64')]));
    const first = contents();

    const second = await startDemo();

    expect(second.code).toBe(EXIT.completed);
    expect(second.stderr).not.toContain('Synthesizing');
    expect(second.stderr).toContain('open (2 of 3 lists): ');
    const again = JSON.parse(second.stdout);
    expect(again).toMatchObject({ connection: 'demo', status: 'completed' });
    const idsAgain = again.exports.map(({ exportId }: { exportId: string }) => exportId);
    expect(new Set([...ids, ...idsAgain]).size).toBe(2 * lists.length);
    expect(lists.map(latest)).toEqual(idsAgain);
    const now = contents();
    for (const [file, content] of first) {
      if (!moving.has(file)) expect([file, now.get(file)]).toEqual([file, content]);
    }
    const made = [...now.keys()].filter((file) => !first.has(file));
    const told = again.exports.flatMap(filesOf).filter((file: string) => !moving.has(file));
    expect(made.toSorted()).toEqual(told.toSorted());
    const [customers] = again.exports;
    expect(customers).toMatchObject({ list: 'customers', customers: 1_500 });
    expect(again.exports.map(({ matchesApi }: { matchesApi: boolean }) => matchesApi)).toEqual(
      lists.map(() => true),
    );
  },
  RUN_TIMEOUT_MS,
);
