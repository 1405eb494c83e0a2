import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { codeOf } from '../../command-line/file-problem.ts';

// A path of a socket has at most 103 characters on macOS (sys/un.h), where the temporary folder alone has 49.
const PREFIX = 'customers-run-';
/** A socket on which the run listens: the system closes it with the process, however that ended. */
const LOCK = 'lock';

/** Holds what a run needs on the disk; nothing of it is a result. */
export interface RunFolder {
  /** For this user alone. */
  readonly path: string;
  remove(): Promise<void>;
}

/** Makes the folder, and removes those of runs that were killed. */
export async function makeRunFolder(parent: string): Promise<RunFolder> {
  await removeLeftovers(parent);
  const path = await mkdtemp(join(parent, PREFIX));
  const lock = createServer((socket) => socket.destroy()).unref();
  // Where no such socket can be made (a long path, Windows) a later start leaves the folder alone.
  lock.on('error', () => undefined);
  await new Promise<void>((resolve) => {
    lock.once('listening', resolve).once('error', () => resolve());
    lock.listen(join(path, LOCK));
  });
  return {
    path,
    remove: async () => {
      lock.close();
      await rm(path, { recursive: true, force: true });
    },
  };
}

async function removeLeftovers(parent: string): Promise<void> {
  for (const name of await readdir(parent)) {
    const path = join(parent, name);
    if (name.startsWith(PREFIX) && (await isOwn(path)) && (await isLeft(path))) {
      await rm(path, { recursive: true, force: true });
    }
  }
}

/** Another user's folder is not ours to judge, also not for an administrator. */
async function isOwn(path: string): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isDirectory() === true && found.uid === (process.getuid?.() ?? found.uid);
}

/** Whether nobody listens on the lock any more. A folder without a lock may just be in the making. */
function isLeft(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(join(path, LOCK));
    socket.once('connect', () => {
      socket.destroy();
      resolve(false);
    });
    socket.once('error', (error) => resolve(codeOf(error) === 'ECONNREFUSED'));
  });
}
