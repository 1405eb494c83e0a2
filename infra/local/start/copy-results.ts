import { access, constants, mkdir, rename, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { GetObjectCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import { SettingError } from '../../../lib/errors.ts';
import { codeOf, fileProblem } from '../../command-line/file-problem.ts';

/** The bucket keeps everything under this prefix; on disk the folder `--out` takes its place. */
const PREFIX = 'exports/';

/**
 * Copies what the export left in the bucket to a folder, the manifests last, as the worker writes them.
 *
 * @returns The files, absolute paths.
 * @throws SettingError naming `--out` when it cannot be written.
 */
export async function copyResults(
  client: S3Client,
  bucket: string,
  out: string,
): Promise<readonly string[]> {
  const keys: string[] = [];
  for await (const page of paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: PREFIX })) {
    keys.push(...(page.Contents ?? []).flatMap(({ Key }) => (Key === undefined ? [] : [Key])));
  }
  const isLast = (key: string) => Number(key.endsWith('.json'));
  const files: string[] = [];
  for (const key of keys.sort((a, b) => isLast(a) - isLast(b))) {
    const object = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    const file = fileOf(out, key);
    await store(file, (await object.Body?.transformToByteArray()) ?? new Uint8Array());
    files.push(file);
  }
  return files;
}

/** Where an object of the bucket goes. */
export function fileOf(out: string, key: string): string {
  const root = resolve(out);
  const file = join(root, key.slice(PREFIX.length));
  if (!file.startsWith(root + sep))
    throw new SettingError('--out', `the object ${key} would leave the folder`);
  return file;
}

/**
 * Makes the folder, so that it is known before an export begins that its files have a place.
 *
 * @throws SettingError naming `--out` when it cannot be made or written to.
 */
export async function prepareFolder(out: string): Promise<void> {
  await writing(resolve(out), async (folder) => {
    await makeFolder(folder);
    await access(folder, constants.W_OK);
  });
}

async function store(file: string, body: Uint8Array): Promise<void> {
  await writing(file, async () => {
    const temporary = `${file}.incomplete`;
    await makeFolder(dirname(file));
    await writeFile(temporary, body);
    await rename(temporary, file);
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

async function writing(path: string, write: (path: string) => Promise<unknown>): Promise<void> {
  try {
    await write(path);
  } catch (error) {
    throw fileProblem('--out', 'write', path, error);
  }
}
