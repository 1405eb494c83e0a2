import { open, rename, rm } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { diskErrorOf } from '../../command-line/disk-error.ts';
import { codeOf, fileProblem } from '../../command-line/file-problem.ts';
import { isStream, removeAbandoned, temporaryOf } from '../../command-line/out-folder.ts';
import { printable } from '../../command-line/printable.ts';
import type { Output } from '../output.ts';
import type { OutputStream } from '../surroundings.ts';

interface TextTarget {
  readonly write: (text: string) => Promise<unknown>;
}

/**
 * Writes to a file, which has its name only when all of it is there and is for this user alone, or to stdout or what
 * else takes a stream; a terminal gets no character that would command it.
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
    const shown = shownOn(stdout.isTTY === true);
    let isClosed = false;
    return untilClosed(work, async (text) => {
      // Who reads slowly is waited for: what they have not read yet would be kept in memory.
      await new Promise<void>((resolve) => {
        const taken = (error?: Error | null) => {
          isClosed ||= error instanceof Error;
          resolve();
        };
        if (stdout.write(shown(text), taken) !== false) resolve();
      });
      if (isClosed) throw new OutputClosed();
    });
  }
  const failed = (error: unknown): never => {
    throw diskErrorOf(error, file, '--out') ?? fileProblem('--out', 'write', file, error);
  };
  if (await isStream(file)) {
    const stream = await open(file, 'w').catch(failed);
    const shown = shownOn(isatty(stream.fd));
    return untilClosed(work, (text) =>
      stream.appendFile(shown(text)).catch((error: unknown) => {
        if (codeOf(error) === 'EPIPE') throw new OutputClosed();
        return failed(error);
      }),
    ).finally(() => stream.close());
  }
  const temporary = temporaryOf(file);
  await removeAbandoned(file);
  const handle = await open(temporary, 'wx', 0o600).catch(failed);
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

/** With `--json` what was written to a file is a result; on stdout it would stand among the records. */
export function sayFile(file: string | undefined, about: object, output: Output): void {
  if (file === undefined || file === '-') return;
  output.result({ file, ...about }, () => '');
}

/** Nothing more is taken. What is to be said of it, {@link outliveClosedOutput} says. */
class OutputClosed extends Error {
  override readonly name = 'OutputClosed';
}

/** What nobody takes any more is not fetched either. */
async function untilClosed(
  work: (target: TextTarget) => Promise<void>,
  write: TextTarget['write'],
): Promise<void> {
  await work({ write }).catch((error: unknown) => {
    if (!(error instanceof OutputClosed)) throw error;
  });
}

function shownOn(isTerminal: boolean): (text: string) => string {
  return isTerminal ? printable : (text) => text;
}
