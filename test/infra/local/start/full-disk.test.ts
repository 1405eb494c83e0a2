import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from '@jest/globals';
import { DEMO_KEY } from '../../../../infra/simulator/options.ts';
import { startSimulator } from '../../../../infra/simulator/simulator.ts';
import { isDeep } from '../../../deep/depth.ts';

const MAIN = join(import.meta.dirname, '../../../../infra/local/start/main.ts');
const TIMEOUT_MS = 180_000;
const EXIT_NOT_COMPLETED = 1;

const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

const small = join(folder, 'small');
mkdirSync(small);

/** A disk of its own for one program, where the system lets users mount one (user_namespaces(7)). */
const OWN_DISK = ['unshare', '--user', '--map-root-user', '--mount'];
const mount = (size: string) => `mount -t tmpfs -o size=${size} none '${small}'`;
const canMount = spawnSync(OWN_DISK[0] ?? '', [...OWN_DISK.slice(1), 'sh', '-c', mount('4k')]);
const withDisk = canMount.status === 0 ? test : test.skip;

/** Runs `npm start` after a line of shell. */
async function start(
  before: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
) {
  const { CUSTOMERS_API_KEY: _key, NODE_EXTRA_CA_CERTS: _ca, ...own } = process.env;
  const line = `${before} && exec "$0" --disable-warning=ExperimentalWarning "$@"`;
  const [program = '', ...more] = before.startsWith('mount') ? OWN_DISK : ['env'];
  const child = spawn(program, [...more, 'sh', '-c', line, process.execPath, MAIN, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...own, ...environment },
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  // What is said of the progress comes first.
  return { code, stdout, lastLine: stderr.trimEnd().split('\n').at(-1), stderr };
}

withDisk(
  'a full folder of temporary files is one line that names it',
  async () => {
    const out = join(folder, 'out');
    const { code, stdout, lastLine, stderr } = await start(mount('16k'), ['--out', out], {
      TMPDIR: small,
    });

    expect({ code, stdout }).toEqual({ code: EXIT_NOT_COMPLETED, stdout: '' });
    expect(lastLine).toMatch(/^Cannot write to \S+\/small\S*: .*\(ENOSPC\)\. .* with TMPDIR\.$/);
    expect(stderr).not.toMatch(/^ +at /m);
  },
  TIMEOUT_MS,
);

// In `npm test` the one before fills a disk.
(isDeep ? withDisk : test.skip)(
  'a full folder of results is one line that names it',
  async () => {
    const api = await startSimulator({ customers: 100 });
    const caFile = join(folder, 'ca.pem');
    writeFileSync(caFile, api.caPem);
    const args = ['--base-url', api.url, '--out', join(small, 'out')];
    const { code, stdout, lastLine, stderr } = await start(mount('16k'), args, {
      CUSTOMERS_API_KEY: DEMO_KEY,
      NODE_EXTRA_CA_CERTS: caFile,
    });
    await api.close();

    expect({ code, stdout }).toEqual({ code: EXIT_NOT_COMPLETED, stdout: '' });
    expect(lastLine).toMatch(/^Cannot write to \S+\/small\/out\/\S*: .*\(ENOSPC\)\. .* --out\.$/);
    expect(stderr).not.toMatch(/^ +at /m);
  },
  TIMEOUT_MS,
);

const onPosix = process.platform === 'win32' ? test.skip : test;
onPosix(
  'files that may not grow are one line that says so, and nothing stays',
  async () => {
    const temporary = join(folder, 'temporary');
    mkdirSync(temporary);
    const args = ['--out', join(folder, 'out')];
    const { code, lastLine } = await start('ulimit -f 8', args, { TMPDIR: temporary });

    expect(code).toBe(EXIT_NOT_COMPLETED);
    expect(lastLine).toMatch(/^Cannot write to \S+\/temporary\S*: .*\(EFBIG\)\. .*ulimit -f/);
    expect(readdirSync(temporary)).toEqual([]);
  },
  TIMEOUT_MS,
);
