import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { until } from '../../../until.ts';

const MAIN = new URL('../../../../infra/local/start/main.ts', import.meta.url).pathname;

/** A run of `npm start` that is under way. */
export interface StartRun {
  readonly pid: number;
  /** What it wrote on stderr so far. */
  stderr(): string;
  /** Settles when stderr holds this text, or the program is over. */
  said(text: string): Promise<void>;
  readonly ended: Promise<StartEnd>;
}

interface StartEnd {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs the program as `npm start` does, in a process group of its own and without a terminal.
 *
 * @param environment Added to this process's own, without its key.
 * @param parent Arguments of a Node.js that runs the program. @default - nothing is in between
 */
export function startProgram(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
  parent: readonly string[] = [],
): StartRun {
  const { CUSTOMERS_API_KEY, NODE_EXTRA_CA_CERTS, npm_lifecycle_event, ...own } = process.env;
  const program = ['--disable-warning=ExperimentalWarning', MAIN, ...args];
  const child = spawn(
    process.execPath,
    parent.length === 0 ? program : [...parent, process.execPath, ...program],
    {
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
      env: { ...own, ...environment },
    },
  );
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const closed = once(child, 'close');
  let isOver = false;
  child.once('close', () => {
    isOver = true;
  });
  return {
    pid: child.pid ?? 0,
    stderr: () => stderr,
    said: async (wanted) => {
      const isSaid = () => isOver || stderr.includes(wanted);
      await until(`"${wanted}"`, isSaid, { seen: () => stderr });
    },
    ended: Promise.all([text(child.stdout), closed]).then(([stdout, [code]]) => ({
      code,
      stdout,
      stderr,
    })),
  };
}
