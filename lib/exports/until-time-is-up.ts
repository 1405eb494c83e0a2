import { WOKEN } from '../gate/pause.ts';
import type { Clock } from '../gate/ports.ts';

interface Abandonable {
  abandon(): void;
  /** Resolves when nothing runs any more. */
  over(): Promise<void>;
}

/** Does what requests pages; abandons it at `stopAtMs`, and returns only when all its requests are over. */
export async function untilTimeIsUp<T>(
  { clock }: { readonly clock: Pick<Clock, 'now' | 'sleep'> },
  stopAtMs: number,
  work: Abandonable,
  run: () => Promise<T>,
): Promise<T> {
  const done = new AbortController();
  const timeUp = clock
    .sleep(Math.max(0, stopAtMs - clock.now()), done.signal)
    .then(() => work.abandon());
  try {
    return await run();
  } finally {
    // This aborts running requests. Afterwards a last answer may still have to be recorded in the gate.
    done.abort(WOKEN);
    await timeUp;
    await work.over();
  }
}
