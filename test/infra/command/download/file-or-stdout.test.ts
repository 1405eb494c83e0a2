import { execFileSync } from 'node:child_process';
import {
  chmod,
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { writingWhole } from '../../../../infra/command/download/file-or-stdout.ts';
import { storeFile } from '../../../../infra/command-line/out-folder.ts';
import { until } from '../../../until.ts';
import { sampleSurroundings } from '../sample-surroundings.ts';

const HOSTILE = '"\u001b[2J\u009b2J",x\r\n';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'customers-whole-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test.each([
  ['a terminal gets no character that commands it', true, '"\ufffd[2J\ufffd2J",x\r\n'],
  ['a pipe gets every character as it came', false, HOSTILE],
])('%s', async (_, isTTY, printed) => {
  const { stdout, said } = sampleSurroundings({ stdout: { isTTY, write: () => true } });
  await writingWhole('-', stdout, async ({ write }) => void (await write(HOSTILE)));
  expect(said.stdout).toBe(printed);
});

test('a file is for its user alone, whoever has put one in its way', async () => {
  const { stdout } = sampleSurroundings();
  const file = join(folder, 'list.csv');
  const foreign = join(folder, 'foreign');
  const write = () => writingWhole(file, stdout, async (to) => void (await to.write(HOSTILE)));
  await writeFile(`${file}.incomplete`, 'of a run that was killed');
  await chmod(`${file}.incomplete`, 0o666);
  await write();
  expect((await stat(file)).mode & 0o777).toBe(0o600);

  await writeFile(foreign, 'as it was');
  await symlink(foreign, `${file}.incomplete`);
  await write();
  expect(await readFile(foreign, 'utf8')).toBe('as it was');
  expect(await readFile(file, 'utf8')).toBe(HOSTILE);
  expect((await readdir(folder)).sort()).toEqual(['foreign', 'list.csv']);
});

test('a device gets what is written, and no file takes its place', async () => {
  const device = join(folder, 'device');
  await symlink('/dev/null', device);
  const { stdout } = sampleSurroundings();
  await writingWhole(device, stdout, async ({ write }) => void (await write(HOSTILE)));

  expect(await readlink(device)).toBe('/dev/null');
  expect(await readFile(device, 'utf8')).toBe('');
});

test('who reads stdout slowly is waited for', async () => {
  const taken: (() => void)[] = [];
  const stdout = {
    write: (_: string, done?: () => void) => {
      if (done !== undefined) taken.push(done);
      return false;
    },
  };
  let written = 0;
  const writing = writingWhole('-', stdout, async ({ write }) => {
    for (; written < 3; written++) await write('line\n');
  });
  for (const count of [0, 1, 2]) {
    await until('the next line', () => taken.length > count);
    expect(written).toBe(count);
    taken[count]?.();
  }
  await writing;
});

test('a pipe whose reader has gone takes the rest, as stdout does', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const reader = open(pipe, 'r');
  const { stdout } = sampleSurroundings();
  const written = writingWhole(pipe, stdout, async ({ write }) => {
    await write('read');
    await (await reader).close();
    await write('read by nobody');
  });
  await expect(written).resolves.toBeUndefined();

  const again = open(pipe, 'r');
  const stored = storeFile(pipe, Buffer.alloc(1_000_000));
  await (await again).close();
  await expect(stored).resolves.toBeUndefined();
});
