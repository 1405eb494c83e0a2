import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { keepAssembly } from '../infra/local/start/keep-assembly.ts';
import { trust } from '../trust.ts';
import { Placeholders } from './placeholders.ts';
import {
  type Ended,
  npmScript,
  type Simulator,
  simulateHere,
  startHere,
  startSimulator,
} from './product.ts';
import { expectRecorded, readable } from './recording.ts';
import { runNode } from './run-node.ts';
import { recordedFiles } from './stored-files.ts';

/** Most of it is the synthesis, which takes its time on a busy machine. */
const RUN_TIMEOUT_MS = 180_000;
const KEYS = { good: 'key-of-the-good-one', broken: 'key-of-the-broken-one' } as const;

const startedAtMs = Date.now();
const folder = mkdtempSync(join(tmpdir(), 'recorded-commands-'));
let simulator: Simulator;

beforeAll(async () => {
  simulator = await startSimulator({
    // One page: how many are read at the same time depends on how fast the answers come.
    customers: 60,
    organizations: Object.entries(KEYS).map(([name, key]) => ({ name, key })),
    faults: [{ when: { organization: 'broken' }, fault: { kind: 'html' } }],
  });
  trust(simulator.caPem);
  writeFileSync(join(folder, 'ca.pem'), simulator.caPem);
  for (const { options } of Object.values(RUNS)) await keepAssembly(options);
});

afterAll(async () => {
  await simulator.close();
  rmSync(folder, { recursive: true });
});

type Run = (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) => Promise<Ended>;

const program: Run = (args, environment) => runNode([...npmScript('start'), ...args], environment);

const RUNS = {
  'start-completed': { key: KEYS.good, options: ['--json'], run: program },
  'start-api-fails': { key: KEYS.broken, options: [], run: startHere },
  'start-key-rejected': {
    key: 'key-that-is-wrong',
    options: ['--json', '--connection=acme'],
    run: startHere,
  },
} as const;

test.each(Object.entries(RUNS))(
  'npm start says, stores and exits with what is recorded (%s)',
  async (name, { key, options, run }) => {
    const out = join(folder, name);
    const args = ['--base-url', simulator.url, '--out', out, ...options];
    const ended = await run(args, {
      CUSTOMERS_API_KEY: key,
      NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem'),
    });

    const files = readdirSync(out, { recursive: true, withFileTypes: true })
      .filter((file) => file.isFile())
      .map((file) => join(file.parentPath, file.name))
      .map((path) => ({ name: relative(out, path), body: readFileSync(path) }));
    const recorded = { ...recordedEnd(ended), files: recordedFiles(files) };
    expectRecorded(name, placeholders(out).in(recorded));
    if (run === program) expect(openToOthers(out)).toEqual([]);
  },
  RUN_TIMEOUT_MS,
);

/** Files and folders below a folder that others may read or write. */
function openToOthers(parent: string): readonly string[] {
  const names = readdirSync(parent, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => (lstatSync(join(parent, name)).mode & 0o077) !== 0);
}

test.each([
  ['start-help', ['--help']],
  ['start-wrong-option', ['--speed=1']],
])('npm start says and exits with what is recorded (%s)', async (name, options) => {
  const ended = await startHere([...options, '--out', join(folder, name)], {});
  expectRecorded(name, recordedEnd(ended));
});

test.each([
  ['simulator-help', ['--help']],
  ['simulator-wrong-option', ['--speed=1']],
])('npm run simulator says and exits with what is recorded (%s)', async (name, options) => {
  expectRecorded(name, recordedEnd(await simulateHere(options)));
});

test('without a key the command line says and exits with what is recorded', async () => {
  const args = ['--base-url=https://127.0.0.1:2', '--out', join(folder, 'start-without-key')];
  expectRecorded('start-without-key', recordedEnd(await startHere(args, {})));
});

test('no run shows a key', () => {
  const said = JSON.stringify(recordedSoFar);
  expect(recordedSoFar.length).toBeGreaterThan(3);
  expect(said).not.toMatch(/key-of-the-|key-that-is-wrong/);
});

const recordedSoFar: Ended[] = [];

function recordedEnd(ended: Ended): object {
  recordedSoFar.push(ended);
  const { code, stdout, stderr } = ended;
  const [line = '', ...more] = withoutMeasures(stdout).split(/(?<=\n)/);
  const isOneLine = more.length === 0 && line.endsWith('\n');
  const told = isOneLine ? readable(line.slice(0, -1)) : line + more.join('');
  return { code, stdout: linesOf(told), stderr: linesOf(withLastProgress(stderr)) };
}

/** Lines are easier to compare than one long text. */
function linesOf(told: unknown): unknown {
  return typeof told === 'string' ? told.split('\n') : told;
}

/**
 * What of an export is seen on its way depends on when it is looked at; its end is always seen. A stack that
 * an earlier start has synthesized is used again.
 */
function withLastProgress(stderr: string): string {
  const told = stderr.replace(/^Synthesizing the stack\n/m, '');
  return told.replace(/(?:^[\d,]+(?: of [\d,]+)? customers, .*\n)+(?=^[\d,]+ )/gm, '');
}

/** How long it took, and the money that follows from that. */
function withoutMeasures(stdout: string): string {
  return stdout
    .replace(/(?<="elapsedSeconds":)[\d.]+/, '"<seconds>"')
    .replace(/(?<="estimatedCostUsd":)[\d.e-]+/, '"<money>"')
    .replace(/(?<=as the API asked, of )[\d.,]+(?= s)/, '<seconds>')
    .replace(/(?<=about )\d\.\d+(?= USD)/, '<money>');
}

function placeholders(out: string): Placeholders {
  return new Placeholders(startedAtMs, [
    [out, 'folder'],
    [/\b(?:request|event|schedule)-[0-9a-f]{20}\b/g, 'export id'],
  ]);
}
