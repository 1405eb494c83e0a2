import { type Backoff, backoffMs } from '../backoff.ts';
import type { Clock, Gates, Random } from './ports.ts';

/**
 * The AWS SDK has repeated the call within a second already, so this is longer trouble; and five seconds are soon
 * enough once the gate is back. Half of each wait is certain, so that the repeats do not become a flood.
 */
const BACKOFF: Backoff = { firstMs: 500, mostMs: 5_000, leastShare: 0.5 };

/** A call that hangs: three attempts of 5 s (functions/aws/client-settings.ts) and the waits between them. */
export const LONGEST_CALL_MS = 16_000;

export interface RecordPorts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly gates: Pick<Gates, 'blockUntil' | 'haltKeyVersion'>;
}

/**
 * Records in the gate a wait that the API asked for, for all who use the connection. Until it is recorded, others
 * would ask too early, so a failed call is repeated with growing waits; once the wait is over it is left.
 *
 * @param blockedUntilMs No request before, milliseconds since the epoch.
 * @param endMs The last call is over by then, however long it hangs; without time for a repeat there is one call.
 * Milliseconds since the epoch.
 * @throws What the gate threw last.
 */
export function recordWait(
  ports: RecordPorts,
  connection: string,
  blockedUntilMs: number,
  endMs: number,
): Promise<void> {
  const record = () => ports.gates.blockUntil(connection, blockedUntilMs);
  return repeat(ports, record, Math.min(endMs, blockedUntilMs));
}

/**
 * Records in the gate a key version that the API rejected, so that nobody sends it again; repeated as
 * {@link recordWait} is.
 *
 * @throws What the gate threw last.
 */
export function recordHalt(
  ports: RecordPorts,
  connection: string,
  keyVersion: string,
  endMs: number,
): Promise<void> {
  return repeat(ports, () => ports.gates.haltKeyVersion(connection, keyVersion), endMs);
}

async function repeat(
  { clock, random }: RecordPorts,
  record: () => Promise<void>,
  endMs: number,
): Promise<void> {
  for (let repeats = 0; ; repeats++) {
    try {
      return await record();
    } catch (error) {
      const waitMs = backoffMs(BACKOFF, repeats, random.fraction());
      if (clock.now() + waitMs + LONGEST_CALL_MS >= endMs) throw error;
      await clock.sleep(waitMs, new AbortController().signal);
    }
  }
}
