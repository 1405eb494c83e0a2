import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { Agent } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { DEMO_KEY } from '../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { until } from '../../until.ts';
import { ask } from './ask.ts';

const MAIN = new URL('../../../infra/command/main.ts', import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), 'simulator-test-'));

afterAll(() => rmSync(folder, { recursive: true }));

interface Program {
  readonly child: ChildProcess;
  output(): { stdout: string; stderr: string };
  readonly ended: Promise<unknown>;
}

function run(args: readonly string[], env: Record<string, string> = {}): Program {
  // What earlier programs have compiled is half of the CPU time of this one.
  const { NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [MAIN, 'simulate', ...args], {
    env: { NODE_COMPILE_CACHE, ...env },
  });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  return { child, output: () => output, ended: once(child, 'close').then(([code]) => code) };
}

async function started(program: Program): Promise<string> {
  const isStarted = () => program.output().stdout.includes('\n');
  await until('the first line', isStarted, { seen: program.output });
  return program.output().stdout;
}

/** As much of a simulator as `ask` needs. */
function remote(url: string, caFile: string, local: Simulator): Simulator {
  return { ...local, url, caPem: readFileSync(caFile, 'utf8') };
}

test('runs until SIGTERM, prints one line for programs, and writes its files', async () => {
  const file = (name: string) => join(folder, name);
  writeFileSync(
    file('faults.json'),
    '[{"when":{"page":2},"fault":{"kind":"status","status":503}}]',
  );
  const program = run([
    ...['--json', '--verbose', '--customers=30', '--rate=1', '--window=60', '--changes=1:1:0'],
    ...['--journal', file('journal')],
    ...[
      '--ca',
      file('ca.pem'),
      '--log',
      file('log'),
      '--truth',
      file('truth'),
      '--faults',
      file('faults.json'),
    ],
  ]);
  const { url, ca, pid } = JSON.parse(await started(program));
  const local = await startSimulator({ customers: 30 });
  const truth = local.customersOf(DEMO_KEY);
  await local.close();
  const simulator = remote(url, ca, local);

  // One connection, on which a request cannot cross the answer before it.
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = [];
  for (const page of [1, 2, 1, 1]) {
    statuses.push((await ask(simulator, `/2.0/customers?page=${page}`, { agent })).status);
  }
  agent.destroy();
  program.child.kill('SIGTERM');

  expect(await program.ended).toBe(0);
  expect([statuses, pid]).toEqual([[200, 503, 429, 429], program.child.pid]);
  expect(program.output().stderr).toMatch(
    /^1 GET \/2.0\/customers page 1: 200\n2 .*: 503 \(fault status\)\n3 .*: 429, retry after \d+ s\n4 .*\n4 requests, 2 throttled, 1 early.\n$/,
  );
  const log = readFileSync(file('log'), 'utf8').trimEnd().split('\n');
  expect(log.map((line) => JSON.parse(line).n)).toEqual([1, 2, 3, 4]);
  const journal = readFileSync(file('journal'), 'utf8').trimEnd().split('\n');
  expect(journal.map((line) => JSON.parse(line))).toEqual([
    {
      organization: 'Demo Organization',
      resource: 'customers',
      at: expect.any(Number),
      action: 'inserted',
      id: '9007199254741011',
      text: expect.stringMatching(/^{"id":9007199254741011,/),
    },
  ]);
  const inserted = JSON.parse(journal[0] ?? '').text;
  expect(readFileSync(file('truth'), 'utf8')).toBe([...truth, inserted, ''].join('\n'));
  expect(readFileSync(file('truth.invoices'), 'utf8').split('\n')).toHaveLength(30 / 10 + 1);
  expect(readFileSync(file('truth.subscriptions'), 'utf8')).toContain('"status":"canceled"');
  for (const name of ['log', 'truth', 'journal'])
    expect(statSync(file(name)).mode & 0o777).toBe(0o600);
});

(existsSync('/dev/full') ? test : test.skip)(
  'a log that cannot grow ends it with one line',
  async () => {
    const file = join(folder, 'full.pem');
    const program = run(['--json', '--log', '/dev/full', '--ca', file]);
    const { url } = JSON.parse(await started(program));
    const local = await startSimulator({ customers: 0 });
    await local.close();
    await ask(remote(url, file, local), '/2.0/customers');

    expect(await program.ended).toBe(1);
    expect(program.output().stderr).toMatch(
      /^Cannot write to \/dev\/full: no space is left there \(ENOSPC\)\. .* --log\.\n$/,
    );
  },
);

test('ends when the npm that runs it is told to end', async () => {
  const file = join(folder, 'npm.pem');
  const args = ['run', '--silent', 'simulator', '--', '--json', '--ca', file];
  const npm = spawn('npm', args, { cwd: join(MAIN, '../../..') });
  const [line] = await once(npm.stdout, 'data');
  const { pid } = JSON.parse(String(line));

  npm.kill('SIGTERM');

  await until(`the end of ${pid}`, () => !isAlive(pid));
});

(existsSync('/proc/self/stat') ? test : test.skip)(
  'ends with an npm that stays as a zombie, since nobody asks how it ended',
  async () => {
    const file = join(folder, 'zombie.pem');
    // What the shell becomes knows nothing of its child.
    const script = 'npm run --silent simulator -- --json --ca "$0" & echo $!; exec sleep 600';
    const parent = spawn('sh', ['-c', script, file], { cwd: join(MAIN, '../../..') });
    let said = '';
    parent.stdout.on('data', (chunk) => {
      said += chunk;
    });
    await until('both lines', () => said.split('\n').length > 2, { seen: () => said });
    const [npm, line = ''] = said.split('\n');
    const { pid } = JSON.parse(line);

    process.kill(Number(npm), 'SIGTERM');

    await until(`the end of ${pid}`, () => !isAlive(pid)).finally(() => parent.kill('SIGKILL'));
  },
);

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('prints what to paste, and removes its temporary file at the end', async () => {
  const program = run([]);

  const text = await started(program);
  program.child.kill('SIGINT');

  expect(await program.ended).toBe(0);
  expect(text).toContain(`  export CUSTOMERS_API_KEY=${DEMO_KEY}\n`);
  expect(text).toMatch(/ {2}export CUSTOMERS_API_URL=https:\/\/localhost:\d+\n/);
  const [, caFile = ''] = /export NODE_EXTRA_CA_CERTS=(.*)\n/.exec(text) ?? [];
  expect(caFile).toContain('ca.pem');
  expect(existsSync(caFile)).toBe(false);
});

test('what nobody foresaw is told in one line, and is no wrong usage', async () => {
  const program = run(['--customers=0'], { TMPDIR: join(folder, 'x'.repeat(300)) });

  expect(await program.ended).toBe(1);
  expect(program.output().stderr).toMatch(/^Unexpectedly failed: Error: ENAMETOOLONG.*\n$/);
});
