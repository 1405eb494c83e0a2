import { errorName } from '../errors.ts';

/**
 * How long after its due time an item may show no progress. A message needs seconds to arrive; waking too early
 * costs one message that is dropped. Less than the five minutes between two sweeps: each sweep finds what stands
 * still, also what the one before has just woken, and an alarm counts such sweeps in a row.
 */
export const STALL_GRACE_MS = 4 * 60 * 1000;

export type Swept<Name, Result> = Name & {
  readonly result: Result | 'error';
  /** Name of the error that a port threw. */
  readonly problem?: string;
};

/** Enough to hide the latency of the ledger; one after the other, 2,000 halted exports would outlast a sweep. */
const SIDE_BY_SIDE = 10;

/** Handles items concurrently. A failure of one does not stop the others; the next sweep retries it. */
export async function sweepEach<Name extends object, Result>(
  names: readonly Name[],
  sweepOne: (name: Name) => Promise<Result>,
  sideBySide = SIDE_BY_SIDE,
): Promise<readonly Swept<Name, Result>[]> {
  const swept: Swept<Name, Result>[] = [];
  const rest = names.values();
  const worker = async () => {
    for (const name of rest) {
      const found = await sweepOne(name).then(
        (result) => ({ result }),
        (error: unknown) => ({ result: 'error', problem: errorName(error) }) as const,
      );
      swept.push({ ...name, ...found });
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  return swept;
}

/**
 * The same of what an index lists. Where that cannot be read it is one failure, so that all else that a sweep finds counts.
 *
 * @param unread Stands for what nobody can name then.
 */
export async function sweepListed<Name extends object, Result>(
  listing: Promise<readonly Name[]>,
  unread: Name,
  sweepOne: (name: Name) => Promise<Result>,
): Promise<readonly Swept<Name, Result>[]> {
  let names: readonly Name[];
  try {
    names = await listing;
  } catch (error) {
    return [{ ...unread, result: 'error', problem: errorName(error) }];
  }
  return sweepEach(names, sweepOne);
}

/** So many failures show that the event bus takes nothing: a call that nobody answers takes seconds. */
const MAX_UNTOLD_FAILURES = 10;

interface EventBus<Event> {
  publish(event: Event): Promise<void>;
}

/**
 * For what one sweep publishes: after ten failures of the bus the rest is left to the next one. What fails otherwise,
 * such as a ledger that does not take what was told, does not count.
 *
 * @returns Calls `tell` with the bus, unless so many have failed.
 */
export function untilBusFails<Event>(
  events: EventBus<Event>,
): <T>(tell: (events: EventBus<Event>) => Promise<T>) => Promise<T | 'nothing'> {
  let failures = 0;
  const counted: EventBus<Event> = {
    publish: async (event) => {
      try {
        await events.publish(event);
      } catch (error) {
        failures += 1;
        throw error;
      }
    },
  };
  return async (tell) => (failures >= MAX_UNTOLD_FAILURES ? 'nothing' : tell(counted));
}
