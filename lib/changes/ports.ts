import type { Clock, Random } from '../gate/ports.ts';
import type { Swapped } from '../steps/step-kind.ts';
import type { ChangeName, ChangeState } from './change-state.ts';
import type { ChangeCounts } from './changes-summary.ts';
import type { ComparisonLine } from './comparison-line.ts';
import type { RecordEntry } from './record-event.ts';

/** What comparing needs from outside beside the store. Every call may throw for an outage: then the message comes back. */
export interface ChangePorts {
  readonly clock: Clock;
  readonly random: Random;
  readonly ledger: ChangeLedger;
  readonly queue: ChangeQueue;
  readonly events: { publish(event: ChangesEvent): Promise<void> };
}

/** What telling record after record needs besides. */
export interface PublishPorts extends ChangePorts {
  /** Id of the integration, which every event names. */
  readonly integration: string;
  /** Name of the bucket of `store`. */
  readonly bucket: string;
  readonly store: {
    /** All bytes of an object; `undefined` when there is none. */
    readWhole(key: string): Promise<Uint8Array | undefined>;
  };
  readonly bus: {
    /**
     * @param entries 10 at most, of `MAX_ENTRY_BYTES` together.
     * @returns Those that were not taken. Of a call that throws none may have been, or all.
     */
    put(entries: readonly RecordEntry[]): Promise<readonly RecordEntry[]>;
  };
}

/** What became of comparisons, and the line of each list, in one table. Reads are strongly consistent. */
export interface ChangeLedger {
  readChange(connection: string, exportId: string): Promise<ChangeState | undefined>;
  /** As {@link StepKind.swap}. */
  writeChange(next: ChangeState, expectedToken: string | undefined): Promise<Swapped<ChangeState>>;
  readComparisonLine(connection: string, list: string): Promise<ComparisonLine | undefined>;
  /** As {@link ChangeLedger.writeChange}. */
  writeComparisonLine(
    next: ComparisonLine,
    expectedToken: string | undefined,
  ): Promise<Swapped<ComparisonLine>>;
  /** Those that have a `sweepAtMs` (see `change-steps.ts`). Reads a sparse index, which may lag. */
  listUnfinishedChanges(): Promise<readonly ChangeName[]>;
  /** Those that wait for a person. Reads a sparse index, which may lag. */
  listHeldChanges(): Promise<readonly ChangeName[]>;
}

/** Asks for the next step of telling changes: it only points to the ledger. */
export interface ChangePointer extends ChangeName {
  readonly v: 1;
  readonly step: number;
}

interface ChangeQueue {
  /** @param dueAtMs When it is due; it comes earlier where SQS delays no longer. @default at once */
  send(pointer: ChangePointer, dueAtMs?: number): Promise<void>;
}

/** EventBridge: detail types `Changes Found` and `Changes Held`, see `lib/events`. */
export interface ChangesEvent extends ChangeName {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'changes-found' | 'changes-held';
  readonly atMs: number;
  readonly list: string;
  /** Of the export, milliseconds since the epoch: it orders the exports of a list. */
  readonly exportStartedAtMs: number;
  /** The export that it was compared with; absent for the first. */
  readonly sinceExportId?: string;
  /** There was nothing to compare with. */
  readonly first?: true;
  readonly counts: ChangeCounts;
  /** Of the object that names the files of changes. */
  readonly summaryKey: string;
  /** On `changes-held`: the share of the records before that are gone, and the most that is believed, percent. */
  readonly removedPercent?: number;
  readonly maxRemovedPercent?: number;
}
