import { type ChildProcess, fork } from 'node:child_process';
import { KEY_VARIABLE } from '../../command-line/ask-key.ts';

const PROCESS = new URL('./guardian-process.ts', import.meta.url);

/** To the guardian's process. */
export interface GuardianMessage {
  readonly pid: number;
  readonly isAlive: boolean;
}

/**
 * Starts a process that waits for the end of this one, and cleans up after it when that cannot do so itself: after
 * `kill -9`, or a crash.
 *
 * @param folder Is removed then.
 */
export function startGuardian(folder: string) {
  const { [KEY_VARIABLE]: _key, ...environment } = process.env;
  const guardian = fork(PROCESS, [folder], {
    // In a group of its own: what ends the whole group of this process must not end the guardian.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: ['--disable-warning=ExperimentalWarning'],
    env: environment,
  });
  // This process does not wait for it, and goes on without it.
  guardian.unref();
  guardian.channel?.unref();
  guardian.on('error', () => undefined);

  const tell = (message: GuardianMessage) => {
    if (guardian.connected) guardian.send(message, () => undefined);
  };
  return {
    /** Has the process ended too, also one that is busy or stopped. */
    watch(child: ChildProcess): void {
      const { pid } = child;
      if (pid === undefined) return;
      tell({ pid, isAlive: true });
      child.once('exit', () => tell({ pid, isAlive: false }));
    },
    /** Nothing is left to clean up. */
    end(): void {
      if (guardian.connected) guardian.disconnect();
    },
  };
}
