import type { Clock, Gates, Random } from './ports.ts';

/** What telling the gate takes. */
export interface HaltPorts {
  readonly gates: Pick<Gates, 'haltKeyVersion'>;
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
}

/** The AWS SDK has repeated the call within a second already: this is longer trouble. */
const FIRST_WAIT_MS = 500;
/** Soon enough to be told within a moment once the gate is back. */
const MAX_WAIT_MS = 5_000;

/**
 * Tells everyone who uses the connection that a key version was rejected. While the gate does not know, others
 * would send it again, so this is repeated until it does, with growing jittered waits.
 *
 * @param untilMs From then on it is not repeated, milliseconds since the epoch.
 * @throws What the gate threw last.
 */
export async function haltKey(
  { gates, clock, random }: HaltPorts,
  connection: string,
  keyVersion: string,
  untilMs: number,
): Promise<void> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await gates.haltKeyVersion(connection, keyVersion);
    } catch (error) {
      // At least half of it, so that the repeats do not become a flood.
      const share = 0.5 + random.fraction() / 2;
      const waitMs = Math.ceil(share * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** repeats));
      if (clock.now() + waitMs >= untilMs) throw error;
      await clock.sleep(waitMs, new AbortController().signal);
    }
  }
}
