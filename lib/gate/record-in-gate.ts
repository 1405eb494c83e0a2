import { type Backoff, backoffMs } from '../backoff.ts';
import type { StoredVersion } from './organization.ts';
import { pause } from './pause.ts';
import type { Clock, Gates, Random } from './ports.ts';

/**
 * The AWS SDK retries within a second, so this is a longer outage; five seconds are soon enough after it. At
 * least half of each wait is fixed, so that the retries do not become a flood.
 */
const BACKOFF: Backoff = { firstMs: 500, mostMs: 5_000, leastShare: 0.5 };

/** A call that hangs: all attempts of functions/aws/client-settings.ts, and the waits between them. */
export const LONGEST_CALL_MS = 16_000;

export interface RecordPorts {
  readonly clock: Clock;
  readonly random: Pick<Random, 'fraction'>;
  readonly gates: Pick<Gates, 'blockUntil' | 'haltKeyVersion'>;
}

export interface ToldWait {
  /** No request before then, milliseconds since the epoch. */
  readonly untilMs: number;
  readonly asSent?: string | undefined;
}

/**
 * Records in the gate a wait that the API asked for. Until then other callers would ask too early, so a failed
 * call is retried with growing waits, until the wait is over.
 *
 * @param endMs The last call ends by then, even if it hangs, milliseconds since the epoch. At least one call.
 * @throws The last error of the gate.
 */
export function recordWait(
  ports: RecordPorts,
  connection: string,
  { untilMs, asSent }: ToldWait,
  endMs: number,
): Promise<void> {
  const record = () => ports.gates.blockUntil(connection, untilMs, asSent);
  return repeat(ports, record, { endMs, untilMs });
}

/**
 * Records in the gate a key version that the API rejected, so that no caller sends it again, retried as in
 * {@link recordWait}.
 *
 * @throws The last error of the gate.
 */
export function recordHalt(
  ports: RecordPorts,
  connection: string,
  version: StoredVersion,
  endMs: number,
): Promise<void> {
  return repeat(ports, () => ports.gates.haltKeyVersion(connection, version), { endMs });
}

/** @param until `untilMs`: from then on the record is of no use. */
async function repeat(
  { clock, random }: RecordPorts,
  record: () => Promise<unknown>,
  until: { readonly endMs: number; readonly untilMs?: number },
): Promise<void> {
  const { endMs, untilMs = endMs } = until;
  for (let repeats = 0; ; repeats++) {
    try {
      await record();
      return;
    } catch (error) {
      const waitMs = backoffMs(BACKOFF, repeats, random.fraction());
      const atMs = clock.now() + waitMs;
      if (atMs + LONGEST_CALL_MS >= endMs || atMs >= untilMs) throw error;
      await pause(clock, waitMs);
    }
  }
}
