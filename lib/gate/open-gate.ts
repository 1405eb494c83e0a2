import { defined } from '../defined.ts';
import type { Clock, Gate, GateOpenings, Random } from './ports.ts';

export interface OpenGatePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'token'>;
  readonly gates: Pick<GateOpenings, 'open'>;
  readonly events: { publish(event: GateOpenedEvent): Promise<void> };
}

/** EventBridge: detail type `Gate Opened`, see `lib/events`. */
export interface GateOpenedEvent {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'gate-opened';
  readonly atMs: number;
  readonly connection: string;
  readonly by: string;
  readonly reason: string;
  readonly untilMs: number;
  readonly waitAsSent?: string;
}

export interface OpeningRequest {
  readonly connection: string;
  /** Who opens it, such as the ARN of the caller; 1 to 2,048 characters. */
  readonly by: string;
  /** Why; 1 to 1,024 characters. */
  readonly reason: string;
}

/** `open`: no wait was in force, so nothing was done. */
export interface OpenedGate {
  readonly kind: 'opened' | 'open';
  readonly gate: Gate;
}

/**
 * Ends the wait that the API asked for, because a person takes the responsibility for it. Rejected key versions stay
 * rejected. Safe to repeat: the same request of the same person publishes the event again, whose answer may have been
 * lost.
 *
 * @throws What a port throws: ask again.
 */
export async function openGate(
  { clock, random, gates, events }: OpenGatePorts,
  { connection, by, reason }: OpeningRequest,
): Promise<OpenedGate> {
  const id = random.token();
  const gate = await gates.open(connection, ({ blockedUntilMs, waitAsSent }) => {
    const atMs = clock.now();
    return blockedUntilMs <= atMs
      ? undefined
      : { id, atMs, by, reason, untilMs: blockedUntilMs, ...defined({ waitAsSent }) };
  });
  const { opening } = gate;
  if (opening?.by === by && opening.reason === reason) {
    const eventId = `${connection}/gate-opened/${opening.id}`;
    await events.publish({ ...opening, id: eventId, kind: 'gate-opened', connection });
  }
  return { kind: opening?.id === id ? 'opened' : 'open', gate };
}
