import { rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from './file-problem.ts';

/** A folder takes no more files: nothing that the user wrote is wrong. */
export class DiskError extends Error {
  override readonly name = 'DiskError';
  readonly code = 'DISK';
}

/** What the system says (errno(3)), and what helps. */
const PROBLEMS: Readonly<Record<string, readonly [what: string, help: string]>> = {
  ENOSPC: ['no space is left there', 'Free some'],
  EDQUOT: ['your share of the space there is used up', 'Free some'],
  EFBIG: ['a file would be larger than you may write', 'Raise the limit (ulimit -f)'],
  EROFS: ['it can only be read', 'Mount it for writing'],
  EACCES: ['you may not write there', 'Change its permissions'],
  EPERM: ['you may not write there', 'Change its permissions'],
  EIO: ['the disk fails', 'Check it'],
};

/** That the folder itself is none: of what lies deeper these say nothing about the disk. */
const NO_FOLDER: typeof PROBLEMS = {
  ENOENT: ['there is no such folder', 'Make it'],
  ENOTDIR: ['it is no folder', 'Remove it'],
};

/** How a user chooses where temporary files go. */
export const TEMPORARY = process.platform === 'win32' ? 'TEMP' : 'TMPDIR';

/** Also what is no file has these codes: a program that may not be run, a port that may not be listened on. */
const NO_FILE = /^(spawn|listen|bind|connect)/;

/** Enough to meet the end of a full disk. */
const PROBE_BYTES = 4 * 1024 * 1024;

/**
 * The same as one line for a person.
 *
 * @param folder That was written to.
 * @param other How another one is chosen, such as `--out`.
 * @returns `undefined` for every other error.
 */
export function diskErrorOf(error: unknown, folder: string, other: string): DiskError | undefined {
  const problems = isAbout(folder, error) ? { ...PROBLEMS, ...NO_FOLDER } : PROBLEMS;
  const [what, help] = problems[codeOf(error)] ?? [];
  if (what === undefined || NO_FILE.test(syscallOf(error))) return undefined;
  const message = `Cannot write to ${folder}: ${what} (${codeOf(error)}). ${help}, or choose another folder with ${other}.`;
  return new DiskError(message);
}

/**
 * @param folder Of temporary files.
 * @throws DiskError in place of what the work has thrown, when the folder is to blame.
 */
export async function writingTo<Result>(
  folder: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw diskErrorOf(error, folder, TEMPORARY) ?? error;
  }
}

/**
 * Finds out whether another program has failed because of the disk: what that said is for people.
 *
 * @param folder Of temporary files.
 * @throws DiskError when a file cannot be written.
 */
export async function checkSpace(folder: string): Promise<void> {
  const probe = join(folder, '.probe');
  await writingTo(folder, () => writeFile(probe, Buffer.alloc(PROBE_BYTES))).finally(() =>
    rm(probe, { force: true }),
  );
}

/** Whether the call listed the folder, or made a temporary one in it. */
function isAbout(folder: string, error: unknown): boolean {
  if (typeof error !== 'object' || error === null || !('path' in error)) return false;
  const path = String(error.path);
  const call = syscallOf(error);
  return (
    (call === 'scandir' && path === folder) || (call === 'mkdtemp' && dirname(path) === folder)
  );
}

function syscallOf(error: unknown): string {
  return typeof error === 'object' && error !== null && 'syscall' in error
    ? String(error.syscall)
    : '';
}
