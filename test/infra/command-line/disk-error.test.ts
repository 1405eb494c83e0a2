import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import {
  checkSpace,
  diskErrorOf,
  TEMPORARY,
  writingTo,
} from '../../../infra/command-line/disk-error.ts';

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

test('a folder for temporary files that is none is named, by whichever call meets it first', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  const [missing, file] = [join(folder, 'missing'), join(folder, 'file')];
  writeFileSync(file, '');
  const listed = (path: string) => writingTo(path, () => readdir(path));
  const made = (path: string) => writingTo(path, () => mkdtemp(join(path, 'run-')));

  for (const use of [listed, made]) {
    const problem = `Cannot write to ${missing}: there is no such folder (ENOENT). Make it, or choose another folder with ${TEMPORARY}.`;
    await expect(use(missing)).rejects.toThrow(problem);
    await expect(use(file)).rejects.toThrow(/: it is no folder \(ENOTDIR\)\. Remove it, or/);
  }
  await expect(writingTo(folder, () => readdir(missing))).rejects.toThrow(/^ENOENT/);
  rmSync(folder, { recursive: true });
});

test('a folder with space passes the check and keeps nothing of it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'));
  await checkSpace(folder);
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true });
});
