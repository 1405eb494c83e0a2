import type { Clock } from './ports.ts';

/**
 * For who ends a wait before its time. Without a reason `abort` makes an error with a stack, which takes longer than all
 * else that a wait takes.
 */
export const WOKEN = 'woken';

/** Until then, or until the signal aborts. */
export async function sleepUntil(
  clock: Pick<Clock, 'now' | 'sleep'>,
  atMs: number,
  signal: AbortSignal = new AbortController().signal,
): Promise<void> {
  const restMs = Math.ceil(atMs - clock.now());
  if (restMs > 0) await clock.sleep(restMs, signal);
}

/** A wait that nobody ends before its time. */
export function pause(clock: Pick<Clock, 'sleep'>, ms: number): Promise<void> {
  return clock.sleep(ms, new AbortController().signal);
}
