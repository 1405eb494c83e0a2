import { createReadStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { bytesOf } from '../../../infra/command/try/folder-store.ts';
import type { ComparePorts } from '../../../lib/changes/compared-exports.ts';

/** A bucket in a folder, which counts what S3 would be asked. */
export class FileStore {
  /** Requests that S3 bills as PUT, LIST among them. */
  puts = 0;
  gets = 0;
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  ports(): ComparePorts {
    return {
      store: {
        put: async (key, body) => {
          this.puts++;
          const file = this.#fileOf(key);
          await mkdir(dirname(file), { recursive: true });
          await writeFile(file, body);
          return key;
        },
        read: async (key) => {
          this.gets++;
          const text = await readFile(this.#fileOf(key), 'utf8').catch(() => undefined);
          return text === undefined ? undefined : { text, version: key };
        },
        readBytes: (key, from, to) => this.#readBytes(key, from, to),
        list: (prefix) => this.#list(prefix),
        delete: async (keys) => {
          await Promise.all(keys.map((key) => rm(this.#fileOf(key))));
        },
      },
      readStored: (key) => {
        this.gets++;
        return createReadStream(this.#fileOf(key));
      },
      isTimeUp: () => false,
    };
  }

  async #readBytes(key: string, from: number, to: number): Promise<Uint8Array> {
    this.gets++;
    return bytesOf(this.#fileOf(key), from, to);
  }

  async #list(prefix: string) {
    this.puts++;
    const names = await readdir(this.#folder, { recursive: true, withFileTypes: true });
    const keys = names
      .filter((each) => each.isFile())
      .map((each) => join(each.parentPath, each.name).slice(this.#folder.length + 1))
      .filter((key) => key.startsWith(prefix));
    return Promise.all(
      keys.map(async (key) => ({
        key,
        bytes: (await stat(this.#fileOf(key))).size,
        version: key,
      })),
    );
  }

  #fileOf(key: string): string {
    return join(this.#folder, key);
  }
}
