import type { ChildProcess } from 'node:child_process';
import { defined } from '../../../lib/defined.ts';
import { writingTo } from '../../command-line/disk-error.ts';
import { startGuardian } from './guardian.ts';
import { makeRunFolder } from './run-folder.ts';

export interface Run {
  /** Has a process end with this one, however this one ends. */
  watch(child: ChildProcess): void;
  end(): Promise<void>;
}

/**
 * Makes a folder that takes all temporary files, and has it and every watched process removed in any case.
 *
 * @throws DiskError when the folder cannot be made.
 */
export async function beginRun(parent: string): Promise<Run> {
  const folder = await writingTo(parent, () => makeRunFolder(parent));
  const { env } = process;
  // Node reads one of them, depending on the system; processes that are started inherit it.
  const { TMPDIR, TEMP } = env;
  Object.assign(env, { TMPDIR: folder.path, TEMP: folder.path });
  const guardian = startGuardian(folder.path);
  return {
    watch: guardian.watch,
    end: async () => {
      await folder.remove();
      for (const name of ['TMPDIR', 'TEMP']) delete env[name];
      Object.assign(env, defined({ TMPDIR, TEMP }));
      guardian.end();
    },
  };
}
