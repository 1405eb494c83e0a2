import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkSpace, diskErrorOf, writingTo } from '../../../infra/command-line/disk-error.ts';

const error = (code: string, syscall = 'write') =>
  Object.assign(new Error(code), { code, syscall });

test.each([
  [
    'ENOSPC',
    /^Cannot write to \/out: no space is left there \(ENOSPC\)\. Free some, or .* --out\.$/,
  ],
  ['EDQUOT', /your share of the space/],
  ['EFBIG', /ulimit -f/],
  ['EROFS', /can only be read \(EROFS\)/],
  ['EACCES', /may not write there \(EACCES\)\. Change its permissions/],
  ['EPERM', /may not write there/],
  ['EIO', /the disk fails/],
])('%s is one line that names the folder and what to do', (code, message) => {
  const problem = diskErrorOf(error(code), '/out', '--out');
  expect(problem?.message).toMatch(message);
  expect(problem?.message).toMatch(/^[^\n]*\/out[^\n]*--out\.$/);
});

test.each([
  ['a file that is not there', error('ENOENT', 'open')],
  ['a port that may not be listened on', error('EACCES', 'listen')],
  ['a program that may not be run', error('EACCES', 'spawn node')],
  ['a fault of the program', new TypeError('x is not a function')],
  ['nothing', undefined],
])('%s is no problem of the disk', async (_, other) => {
  expect(diskErrorOf(other, '/out', '--out')).toBeUndefined();
  await expect(writingTo('/out', () => Promise.reject(other))).rejects.toBe(other);
});

test('a folder with space passes the check and keeps nothing of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  await checkSpace(folder);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
