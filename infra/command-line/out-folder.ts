import { randomUUID } from 'node:crypto';
import {
  access,
  constants,
  lstat,
  mkdir,
  readdir,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { SettingError } from '../../lib/errors.ts';
import { EXPORTS_FOLDER } from '../../lib/exports/store-objects.ts';
import { diskErrorOf } from './disk-error.ts';
import { codeOf, fileProblem } from './file-problem.ts';

/** The file of an object of the bucket: `--out` takes the place of the folder with the exports. */
export function fileOf(out: string, key: string): string {
  const root = resolve(out);
  const file = join(root, key.slice(EXPORTS_FOLDER.length));
  // The root of a drive ends with the separator already.
  if (!file.startsWith(join(root, sep)))
    throw new SettingError(OUT, `the object ${key} would leave the folder`);
  return file;
}

/**
 * Makes the folder, so that it is known before an export begins that its files have a place.
 *
 * @param option That named it.
 * @throws SettingError naming the option when it can be no folder, DiskError when it cannot be made or written to.
 */
export async function prepareFolder(out: string, option = OUT): Promise<void> {
  await writing(resolve(out), option, async (folder) => {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  });
}

/** Writes a file at once as a whole, with the folders above it. @param option That named the file or its folder. */
export async function storeFile(
  file: string,
  body: Uint8Array | AsyncIterable<Uint8Array>,
  option = OUT,
): Promise<void> {
  if (await isStream(file)) return writing(file, option, () => untilGone(writeFile(file, body)));
  const temporary = temporaryOf(file);
  await writing(dirname(file), option, async (folder) => {
    await makeFolder(folder);
    await removeAbandoned(file);
    await writeFile(temporary, body, { flag: 'wx', mode: 0o600 });
    await rename(temporary, file);
  }).finally(() => rm(temporary, { force: true }).catch(() => undefined));
}

/** The name of a file until it is whole. Each run has its own: two may write the same file at once. */
export function temporaryOf(file: string): string {
  return `${file}.${randomUUID().slice(0, 8)}${UNFINISHED}`;
}

export function isUnfinished(file: string): boolean {
  return file.endsWith(UNFINISHED);
}

/** Removes, as far as it may, what runs that were killed have left of a file. One that goes on writes again and again. */
export async function removeAbandoned(file: string): Promise<void> {
  const folder = dirname(file);
  for (const name of await readdir(folder).catch(() => [])) {
    if (!name.startsWith(`${basename(file)}.`) || !isUnfinished(name)) continue;
    const path = join(folder, name);
    const found = await lstat(path).catch(() => undefined);
    if (found !== undefined && found.mtimeMs < Date.now() - ABANDONED_MS) {
      await rm(path, { force: true }).catch(() => undefined);
    }
  }
}

const UNFINISHED = '.incomplete';
const ABANDONED_MS = 24 * 60 * 60 * 1000;

/** Whether it is a device or a pipe, such as /dev/null: it takes what comes, and no file may take its place. */
export async function isStream(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory();
}

/** What a pipe is sent after its reader has gone (`| head`) is lost, as on stdout. */
async function untilGone(sent: Promise<void>): Promise<void> {
  await sent.catch((error: unknown) => {
    if (codeOf(error) !== 'EPIPE') throw error;
  });
}

/**
 * Makes a folder and those above it. Node's own `recursive` never comes back where no folder can be made
 * in one that is there, as in /proc.
 */
async function makeFolder(folder: string): Promise<void> {
  try {
    await makeLast(folder);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await makeLast(folder);
  }
}

async function makeLast(folder: string): Promise<void> {
  try {
    await mkdir(folder);
  } catch (error) {
    const isThere = codeOf(error) === 'EEXIST' && (await stat(folder)).isDirectory();
    if (!isThere) throw error;
  }
}

const OUT = '--out';

async function writing(
  path: string,
  option: string,
  write: (path: string) => Promise<unknown>,
): Promise<void> {
  try {
    await write(path);
  } catch (error) {
    throw diskErrorOf(error, path, option) ?? fileProblem(option, 'write', path, error);
  }
}
