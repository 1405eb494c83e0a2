// Waits for the end of the process that has started it, then ends what that process has left running and
// removes its folder. After an ordinary end there is nothing left to do.
import { rm } from 'node:fs/promises';
import type { GuardianMessage } from './guardian.ts';

const [, , folder = ''] = process.argv;
const alive = new Set<number>();

// It goes last.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);

process.on('message', ({ pid, isAlive }: GuardianMessage) => {
  if (isAlive) alive.add(pid);
  else alive.delete(pid);
});
process.once('disconnect', () => void cleanUp());
if (!process.connected) await cleanUp();

async function cleanUp(): Promise<void> {
  for (const pid of alive) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // It has ended by itself.
    }
  }
  // What was killed may still be writing.
  await rm(folder, { recursive: true, force: true, maxRetries: 10 });
}
