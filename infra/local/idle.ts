import { setTimeout as wait } from 'node:timers/promises';
import type { Engines } from './engines.ts';
import type { EventSourceMapping } from './lambda/event-source-mapping.ts';

const CHECK_INTERVAL_MS = 25;
/** One check could fall between a receive and the invocation that follows it. */
const QUIET_CHECKS = 2;

/**
 * Waits until no invocation and no delivery is under way and no queue that feeds a function has a
 * visible message. Delayed messages, and failed ones whose visibility timeout runs, are not waited for.
 */
export async function untilIdle(
  { host, queues, targets }: Engines,
  mappings: readonly EventSourceMapping[],
  stopped: () => boolean,
): Promise<void> {
  const fed = new Set(mappings.map(({ queueName }) => queueName));
  for (let quiet = 0; quiet < QUIET_CHECKS && !stopped(); ) {
    quiet = (await isQuiet()) ? quiet + 1 : 0;
    await wait(CHECK_INTERVAL_MS);
  }

  async function isQuiet(): Promise<boolean> {
    if (host.running > 0 || targets.pending > 0) return false;
    if (mappings.some(({ running }) => running > 0)) return false;
    const states = await queues.states();
    return states.every(
      ({ name, approximateMessageCount }) => !fed.has(name) || approximateMessageCount === 0,
    );
  }
}
