import type { Gate } from '../gate/ports.ts';
import type { WritePorts } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';

/**
 * Longest wait for a slot inside an invocation: this time is billed, while a message waits for free, but in
 * whole seconds. While the queue feeds a few functions at once, their slots are nearer.
 */
const MAX_SLOT_WAIT_MS = 30_000;

export interface WriteSlots {
  /** One time for each request that may be sent now, in order; the other requests have no slot in time. */
  readonly atMs: readonly number[];
  /** When requests without a slot should ask again. */
  readonly againAtMs: number;
}

interface WantedSlots {
  readonly connection: string;
  readonly settings: WriteSettings;
  readonly gate: Pick<Gate, 'blockedUntilMs' | 'pace'>;
  readonly count: number;
  readonly latestAtMs: number;
}

/** Reserves slots for the requests of one connection, at its rate if one is known. */
export async function slotsFor(
  { clock, gates, random }: Pick<WritePorts, 'clock' | 'gates' | 'random'>,
  { connection, settings, gate, count, latestAtMs }: WantedSlots,
): Promise<WriteSlots> {
  const nowMs = clock.now();
  // Set, or learned by the connection's exports.
  const requestsPerSecond = settings.requestsPerSecond ?? gate.pace?.requestsPerSecond;
  if (requestsPerSecond === undefined) {
    return { atMs: Array.from({ length: count }, () => nowMs), againAtMs: nowMs };
  }
  const reserved = await gates.reserve(connection, {
    count,
    requestsPerSecond,
    earliestAtMs: Math.max(nowMs, gate.blockedUntilMs),
    latestAtMs: Math.min(latestAtMs, nowMs + MAX_SLOT_WAIT_MS),
  });
  const { granted, firstAtMs, intervalMs, nextSlotAtMs } = reserved;
  return {
    atMs: Array.from({ length: granted }, (_, index) => firstAtMs + index * intervalMs),
    // Random, so that the messages of a long queue do not all ask at once.
    againAtMs: nextSlotAtMs + random.fraction() * MAX_SLOT_WAIT_MS,
  };
}
