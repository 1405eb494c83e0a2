import type { BoundClient } from '../gate/gated-client.ts';
import type { Clock, Connections, Gates, OpenKey, Random } from '../gate/ports.ts';
import type { Swapped } from '../steps/step-kind.ts';
import type { OrderLine, SettledBy, WriteReason, WriteState } from './write-state.ts';

/**
 * Everything that writes need from outside. Every call may throw for an outage: then the work ends, the message
 * is delivered again, and the next worker continues from the ledger.
 */
export interface WritePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: WriteLedger;
  readonly gates: Gates;
  readonly queue: WriteQueue;
  readonly events: WriteEvents;
  readonly connections: Connections<OpenKey>;
  /**
   * Whether a text holds, in any form, a key that was read: also one that was replaced since, or whose connection does
   * not open. `false` for keys of fewer than 8 characters.
   */
  readonly holdsKey: (text: string) => boolean;
  readonly clients: WriteClients;
}

export type QueuePorts = Pick<WritePorts, 'clock' | 'random' | 'ledger' | 'queue'>;
export type ClosePorts = QueuePorts & Pick<WritePorts, 'events'>;

/** For accepting, settling and watching writes: nothing that sends requests to the API. */
export type AcceptPorts = ClosePorts &
  Pick<WritePorts, 'connections'> & { readonly gates: Pick<Gates, 'read'> };

/** The sweep also tells the gate what it did not take before. */
export type SweepPorts = AcceptPorts & { readonly gates: Pick<Gates, 'blockUntil'> };

/** For accepting a write. */
export type EnterPorts = AcceptPorts & Pick<WritePorts, 'holdsKey'>;

/** Writes and order lines, in one table. Reads are strongly consistent. Each write touches one item. */
export interface WriteLedger {
  readWrite(connection: string, writeId: string): Promise<WriteState | undefined>;
  /** As {@link StepKind.swap}. */
  writeWrite(next: WriteState, expectedToken: string | undefined): Promise<Swapped<WriteState>>;
  readLine(connection: string, orderKey: string): Promise<OrderLine | undefined>;
  writeLine(next: OrderLine, expectedToken: string | undefined): Promise<Swapped<OrderLine>>;
  /**
   * Writes whose `sweepAtMs` (see `write-steps.ts`) is `untilMs` or earlier, in any order. Reads a sparse index, which
   * may lag. Returns some thousands at most; the next sweep gets the others.
   *
   * @param connection Only this one. @default - all connections
   */
  listUnfinished(untilMs: number, connection?: string): Promise<readonly WriteName[]>;
}

export interface WriteName {
  readonly connection: string;
  readonly writeId: string;
}

export interface WritePointer extends WriteName {
  readonly v: 1;
  readonly attempt: number;
}

interface WriteQueue {
  /** @param dueAtMs When it is due; it comes earlier where SQS delays no longer. @default at once */
  send(pointer: WritePointer, dueAtMs?: number): Promise<void>;
}

interface WriteClients {
  /**
   * Cheap, since the key and the HTTP client are cached behind it.
   *
   * @param recordMs How long from now on a record in the gate may be retried, in milliseconds.
   * @param boundTo Nothing is sent to another organization than this credential's.
   * @param onWaitUntold Called with the end of a wait that the gate could not record.
   */
  of(
    connection: string,
    recordMs: () => number,
    boundTo: string,
    onWaitUntold: (untilMs: number) => void,
  ): BoundClient;
}

interface WriteEvents {
  /** Publishes at least once: consumers recognize repeats by `id`. */
  publish(event: WriteEvent): Promise<void>;
}

/** EventBridge: detail types `Write Done`, `Write Refused` and `Write Unclear`, see `lib/events`. */
export interface WriteEvent
  extends WriteName,
    Pick<WriteReason, 'status' | 'apiCode' | 'requestId'> {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'done' | 'refused' | 'unclear';
  readonly atMs: number;
  readonly operation: string;
  readonly orderKey?: string;
  /** On `done`: how the effect is known. */
  readonly settledBy?: SettledBy;
  /** On `refused` and `unclear`. */
  readonly reasonCode?: string;
  readonly reasonMessage?: string;
}
