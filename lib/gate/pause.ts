import type { Clock } from './ports.ts';

/** A wait that nobody ends before its time. */
export function pause(clock: Pick<Clock, 'sleep'>, ms: number): Promise<void> {
  return clock.sleep(ms, new AbortController().signal);
}
