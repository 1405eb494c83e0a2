import { execFileSync } from 'node:child_process';
import {
  mkdtemp,
  open,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
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

test('a file is for its user alone, and what runs that were killed left of it goes after a day', async () => {
  const { stdout } = sampleSurroundings();
  const file = join(folder, 'list.csv');
  const twoDaysAgo = Date.now() / 1000 - 2 * 86_400;
  for (const [name, atSeconds] of [
    ['list.csv.11111111.incomplete', twoDaysAgo],
    ['list.csv.22222222.incomplete', Date.now() / 1000],
    ['other.csv.33333333.incomplete', twoDaysAgo],
  ] as const) {
    await writeFile(join(folder, name), '');
    await utimes(join(folder, name), atSeconds, atSeconds);
  }
  await writingWhole(file, stdout, async (to) => void (await to.write(HOSTILE)));

  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readFile(file, 'utf8')).toBe(HOSTILE);
  expect((await readdir(folder)).sort()).toEqual([
    'list.csv',
    'list.csv.22222222.incomplete',
    'other.csv.33333333.incomplete',
  ]);
});

test('two runs write the same file at once, and none gives its name to what the other has begun', async () => {
  const { stdout } = sampleSurroundings();
  const ways = {
    listed: (file: string, pieces: AsyncIterable<Buffer>) =>
      writingWhole(file, stdout, async ({ write }) => {
        for await (const piece of pieces) await write(piece.toString());
      }),
    stored: (file: string, pieces: AsyncIterable<Buffer>) => storeFile(file, pieces),
  };
  for (const [name, write] of Object.entries(ways)) {
    const file = join(folder, name);
    const [first, second] = [new PassThrough(), new PassThrough()];
    first.write('first');
    const firstRun = write(file, first);
    await until('the first run', async () => (await readdir(folder)).length > 0);
    second.write('sec');
    const secondRun = write(file, second);
    await until('both runs', async () => (await readdir(folder)).length > 1);
    first.end();
    await firstRun;
    expect(await readFile(file, 'utf8')).toBe('first');
    second.end('ond');
    await secondRun;
    expect(await readFile(file, 'utf8')).toBe('second');
    expect(await readdir(folder)).toEqual([name]);
    await rm(file);
  }
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

test('a pipe whose reader has gone ends what is written to it, as stdout does', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe]);
  const reader = open(pipe, 'r');
  const { stdout } = sampleSurroundings();
  const written = writingWhole(pipe, stdout, async ({ write }) => {
    await write('read');
    await (await reader).close();
    await write('read by nobody');
    throw new Error('It went on.');
  });
  await expect(written).resolves.toBeUndefined();

  const again = open(pipe, 'r');
  const stored = storeFile(pipe, Buffer.alloc(1_000_000));
  await (await again).close();
  await expect(stored).resolves.toBeUndefined();
});
