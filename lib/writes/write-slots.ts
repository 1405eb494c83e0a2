import type { Gate } from '../gate/ports.ts';
import type { WritePorts } from './ports.ts';
import type { WriteSettings } from './write-settings.ts';

/**
 * Longest wait for a slot inside an invocation: time there is paid for, while a message waits for nothing,
 * but in whole seconds. As long as the queue feeds a few functions at once their slots are nearer.
 */
const MAX_SLOT_WAIT_MS = 30_000;

/** When each of some requests may be sent. */
export interface WriteSlots {
  /** One for each request that may be sent now, in order; the others find no slot in time. */
  readonly atMs: readonly number[];
  /** When those without a slot should ask again. */
  readonly againAtMs: number;
}

/** What slots are asked for. */
interface WantedSlots {
  readonly connection: string;
  readonly settings: WriteSettings;
  readonly gate: Pick<Gate, 'blockedUntilMs' | 'pace'>;
  readonly count: number;
  /** The last moment at which a request may be sent. */
  readonly latestAtMs: number;
}

/** Reserves slots for the requests of one connection, at its rate if one is known. */
export async function slotsFor(
  { clock, gates, random }: Pick<WritePorts, 'clock' | 'gates' | 'random'>,
  { connection, settings, gate, count, latestAtMs }: WantedSlots,
): Promise<WriteSlots> {
  const nowMs = clock.now();
  // Set, or learned by the exports of the connection.
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
    // Spread, so that a long queue does not ask all at once.
    againAtMs: nextSlotAtMs + random.fraction() * MAX_SLOT_WAIT_MS,
  };
}
