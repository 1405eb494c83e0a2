import { createHash, hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readdir, readFile, rm } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import type { Store, StoredObject } from '../../../lib/exports/ports.ts';
import { EXPORTS_FOLDER } from '../../../lib/exports/store-objects.ts';
import { codeOf } from '../../command-line/file-problem.ts';
import { fileOf, isUnfinished, storeFile } from '../../command-line/out-folder.ts';

export interface FolderStore extends Store {
  readonly readStored: (key: string) => AsyncIterable<Uint8Array>;
}

/**
 * Objects as files of a folder that one process writes; a file is there as a whole or not at all. The version of an
 * object is the SHA-256 of its bytes. What is outside `exports/` is for the tables of a deployed stack alone, and
 * is not kept.
 */
export function createFolderStore(folder: string): FolderStore {
  const read = async (key: string) => {
    const body = isKept(key) ? await unlessMissing(readFile(fileOf(folder, key))) : undefined;
    return body && { text: body.toString(), version: hash('sha256', body) };
  };
  const put = async (key: string, body: Uint8Array) => {
    if (isKept(key)) await storeFile(fileOf(folder, key), body);
    return hash('sha256', body);
  };
  return {
    put,
    read,
    readBytes: (key, from, to) => bytesOf(fileOf(folder, key), from, to),
    readStored: (key) => createReadStream(fileOf(folder, key)),
    replace: async (key, body, _about, expectedVersion) => {
      if ((await read(key))?.version !== expectedVersion) return 'changed';
      await put(key, body);
      return 'replaced';
    },
    list: (prefix) => objectsBelow(folder, prefix),
    delete: async (keys) => {
      await Promise.all(keys.map((key) => rm(fileOf(folder, key), { force: true })));
    },
  };
}

function isKept(key: string): boolean {
  return key.startsWith(EXPORTS_FOLDER);
}

/** @param to Of the first byte that is not wanted; what is beyond the end is not there. */
export async function bytesOf(path: string, from: number, to: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const bytes = Buffer.alloc(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

async function objectsBelow(folder: string, prefix: string): Promise<readonly StoredObject[]> {
  const below = prefix.slice(0, prefix.lastIndexOf('/') + 1);
  const entries = await unlessMissing(
    readdir(fileOf(folder, below), { recursive: true, withFileTypes: true }),
  );
  const objects: StoredObject[] = [];
  for (const entry of entries ?? []) {
    const path = join(entry.parentPath, entry.name);
    const key = EXPORTS_FOLDER + relative(resolve(folder), path).replaceAll(sep, '/');
    if (!entry.isFile() || !key.startsWith(prefix) || isUnfinished(key)) continue;
    const digest = createHash('sha256');
    let bytes = 0;
    for await (const piece of createReadStream(path)) {
      digest.update(piece);
      bytes += piece.length;
    }
    objects.push({ key, bytes, version: digest.digest('hex') });
  }
  return objects;
}

async function unlessMissing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
