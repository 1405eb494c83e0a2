import type { GatedClient } from '../gate/gated-client.ts';
import type { Clock, Connections, Gates, OpenKey, Random } from '../gate/ports.ts';
import type { Swapped } from '../steps/step-kind.ts';
import type { ReservedSlots, SlotRequest } from './reserve-slots.ts';
import type { OrderLine, SettledBy, WriteState } from './write-state.ts';

/**
 * All that writes need from outside. Every call may throw for an outage: then the work ends where it
 * stands, the message comes back, and the next worker goes on from the ledger.
 */
export interface WritePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: WriteLedger;
  readonly gates: WriteGates;
  readonly queue: WriteQueue;
  readonly events: WriteEvents;
  readonly clients: WriteClients;
}

/** What accepts a write, and what settles one, needs: nothing that sends. */
export type AcceptPorts = Pick<WritePorts, 'clock' | 'random' | 'ledger' | 'queue'>;
export type SettlePorts = AcceptPorts & Pick<WritePorts, 'events'>;

/** What the sweep needs. */
export type SweepPorts = SettlePorts & {
  readonly gates: Pick<Gates, 'read'>;
  readonly connections: Connections<OpenKey>;
};

/** Writes and order lines, in one table. Reads are strongly consistent; writes touch one item each. */
export interface WriteLedger {
  readWrite(connection: string, writeId: string): Promise<WriteState | undefined>;
  /**
   * Stores `next` if the item's `writeToken` is still `expectedToken`; `undefined` means if there is no
   * item. When the condition fails, the item is read: holding `next.writeToken` it is this very write,
   * whose answer was lost, and the result is `written`.
   */
  writeWrite(next: WriteState, expectedToken: string | undefined): Promise<Swapped<WriteState>>;
  readLine(connection: string, orderKey: string): Promise<OrderLine | undefined>;
  /** As {@link WriteLedger.writeWrite}. */
  writeLine(next: OrderLine, expectedToken: string | undefined): Promise<Swapped<OrderLine>>;
  /**
   * Writes whose `sweepAtMs` (see `sweep-time.ts`) is `untilMs` or earlier, through a sparse index that
   * may lag behind. In any order; at most some thousands, the next sweep gets the others.
   *
   * @param connection Only this one's. @default - those of all connections
   */
  listUnfinished(untilMs: number, connection?: string): Promise<readonly WriteName[]>;
}

export interface WriteName {
  readonly connection: string;
  readonly writeId: string;
}

export interface WriteGates extends Gates {
  /**
   * Reserves times at which requests may be sent, so that all callers together keep a rate: the decision
   * is `reserveSlots`, its `nextSlotAtMs` an attribute of the gate, stored on condition that nobody else
   * changed it meanwhile (else decided again). A lost answer wastes slots and does no harm.
   */
  reserve(connection: string, request: SlotRequest): Promise<ReservedSlots>;
}

/** The body of a queue message that points to a write in the ledger. */
export interface WritePointer extends WriteName {
  readonly v: 1;
  readonly attempt: number;
}

export interface WriteQueue {
  /** @param delaySeconds Whole seconds, 0 to 900 (SQS's limit of DelaySeconds). */
  send(pointer: WritePointer, delaySeconds: number): Promise<void>;
}

interface WriteClients {
  /**
   * Cheap: what is worth keeping is kept behind it.
   *
   * @param tellUntilMs Until when telling the gate of a rejected key may be repeated, milliseconds since the epoch.
   */
  of(connection: string, tellUntilMs: number): GatedClient;
}

export interface WriteEvents {
  /** Publishes at least once: consumers tell repeats by `id`. */
  publish(event: WriteEvent): Promise<void>;
}

/** EventBridge: detail types `Write Done`, `Write Refused` and `Write Unclear`, see `lib/events`. */
export interface WriteEvent extends WriteName {
  /** Equal for repeats of the same event. */
  readonly id: string;
  readonly kind: 'done' | 'refused' | 'unclear';
  readonly atMs: number;
  readonly operation: string;
  readonly orderKey?: string;
  /** HTTP status of the answer, when there was one. */
  readonly status?: number;
  readonly apiCode?: string;
  readonly requestId?: string;
  /** On `done`: how that is known. */
  readonly settledBy?: SettledBy;
  /** On `refused` and `unclear`. */
  readonly reasonCode?: string;
  readonly reasonMessage?: string;
}
