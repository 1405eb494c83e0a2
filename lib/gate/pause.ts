import type { Clock } from './ports.ts';

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
