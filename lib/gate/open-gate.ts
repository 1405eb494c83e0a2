import { defined } from '../defined.ts';
import type { Clock, Gate, GateOpening, GateOpenings, Random } from './ports.ts';

export interface OpenGatePorts {
  readonly clock: Pick<Clock, 'now'>;
  readonly random: Pick<Random, 'token'>;
  readonly gates: Pick<GateOpenings, 'open'>;
  readonly events: { publish(event: GateOpenedEvent): Promise<void> };
}

/** EventBridge: detail type `Gate Opened`, see `lib/events`. */
export interface GateOpenedEvent extends GateOpening {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'gate-opened';
  readonly connection: string;
}

export interface OpeningRequest extends Pick<GateOpening, 'by' | 'reason'> {
  readonly connection: string;
}

/** `open`: no wait was in force, so nothing was done. */
export interface OpenedGate {
  readonly kind: 'opened' | 'open';
  readonly gate: Gate;
  /** What the event bus threw: the gate is open all the same. */
  readonly untold?: { readonly error: unknown };
}

/**
 * Ends the wait that the API asked for, because a person takes the responsibility for it. Rejected key versions stay
 * rejected. Safe to repeat: the same request of the same person publishes the event again, whose answer may have been
 * lost.
 *
 * @throws What the gates throw: ask again.
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
  const opened = { kind: opening?.id === id ? 'opened' : 'open', gate } as const;
  if (opening?.by === by && opening.reason === reason) {
    const eventId = `${connection}/gate-opened/${opening.id}`;
    try {
      await events.publish({ ...opening, id: eventId, kind: 'gate-opened', connection });
    } catch (error) {
      return { ...opened, untold: { error } };
    }
  }
  return opened;
}
