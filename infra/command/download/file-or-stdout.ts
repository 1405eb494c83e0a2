import { open, rename, rm } from 'node:fs/promises';
import { diskErrorOf } from '../../command-line/disk-error.ts';
import { fileProblem } from '../../command-line/file-problem.ts';
import type { OutputStream } from '../surroundings.ts';

/** Takes text piece by piece. */
interface TextTarget {
  readonly write: (text: string) => Promise<unknown>;
}

/**
 * Writes to a file, which has its name only when all of it is there, or to stdout.
 *
 * @param file `undefined` or `-` for stdout.
 * @throws SettingError or DiskError naming `--out`.
 */
export async function writingWhole(
  file: string | undefined,
  stdout: OutputStream,
  work: (target: TextTarget) => Promise<void>,
): Promise<void> {
  if (file === undefined || file === '-') {
    return work({ write: async (text) => stdout.write(text) });
  }
  const failed = (error: unknown): never => {
    throw diskErrorOf(error, file, '--out') ?? fileProblem('--out', 'write', file, error);
  };
  const temporary = `${file}.incomplete`;
  const handle = await open(temporary, 'w').catch(failed);
  try {
    await work({ write: (text) => handle.appendFile(text).catch(failed) });
    await handle.close();
    await rename(temporary, file).catch(failed);
  } catch (error) {
    await handle.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}
