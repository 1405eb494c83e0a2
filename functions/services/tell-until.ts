import type { Context } from 'aws-lambda';
import type { Clock } from '../../lib/gate/ports.ts';

/** Kept for the answer, before the function is ended. */
export const TELL_RESERVE_MS = 5_000;

/** Until when an invocation may repeat telling the gate, milliseconds since the epoch. */
export function tellUntilMs(
  context: Pick<Context, 'getRemainingTimeInMillis'>,
  clock: Pick<Clock, 'now'>,
): number {
  return clock.now() + context.getRemainingTimeInMillis() - TELL_RESERVE_MS;
}
