import { mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { fileOf, prepareFolder, storeFile } from '../../../infra/command-line/out-folder.ts';

test('the folder takes the place of the prefix in the bucket', () => {
  expect(fileOf('/out', 'exports/connection=a/latest.json')).toBe('/out/connection=a/latest.json');
  expect(fileOf('/out/', 'exports/connection=a/latest.json')).toBe('/out/connection=a/latest.json');
  // A volume that is mounted there, or a drive.
  expect(fileOf('/', 'exports/connection=a/latest.json')).toBe('/connection=a/latest.json');
});

test('makes a folder with those above it, and takes one that is there', async () => {
  const root = await mkdtemp(join(tmpdir(), 'out-'));
  try {
    await prepareFolder(join(root, 'a/b/c'));
    await prepareFolder(join(root, 'a/b/c/'));

    expect(await readdir(join(root, 'a/b'))).toEqual(['c']);
  } finally {
    await rm(root, { recursive: true });
  }
});

test('names --out when a file is in the place of the folder, or of one above it', async () => {
  const root = await mkdtemp(join(tmpdir(), 'out-'));
  try {
    await writeFile(join(root, 'file'), '');

    await expect(prepareFolder(join(root, 'file'))).rejects.toThrow(
      /^--out: cannot write .*: a file has this name, and a folder is needed \(EEXIST\)$/,
    );
    await expect(prepareFolder(join(root, 'file/a'))).rejects.toThrow(
      /^--out: cannot write .*: a part of its path is a file \(ENOTDIR\)$/,
    );
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a device gets what is stored there, and no file takes its place', async () => {
  const root = await mkdtemp(join(tmpdir(), 'out-'));
  try {
    const device = join(root, 'device');
    await symlink('/dev/null', device);
    await storeFile(device, Buffer.from('page'));

    expect(await readlink(device)).toBe('/dev/null');
    expect(await readFile(device, 'utf8')).toBe('');
  } finally {
    await rm(root, { recursive: true });
  }
});

// Node's own mkdir with `recursive` never comes back there.
const onLinux = process.platform === 'linux' ? test : test.skip;
onLinux('names --out where no folder can be made', async () => {
  await expect(prepareFolder('/proc/none/a')).rejects.toThrow(/^--out: cannot write .*\(ENOENT\)$/);
});

test('a relative folder is one of the working directory', () => {
  expect(fileOf('exports', 'exports/x')).toBe(`${process.cwd()}/exports/x`);
});

test.each(['exports/../x', 'exports/a/../../x', 'exports/', 'exports/..'])(
  'an object %s that would leave the folder is refused',
  (key) => {
    expect(() => fileOf('/out', key)).toThrow(/^--out: the object .* would leave the folder$/);
  },
);
