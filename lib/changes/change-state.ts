import type { StepItem } from '../steps/step-item.ts';
import type { ChangeCounts } from './changes-summary.ts';

/** An export that others are compared with. */
export interface ChangeBase {
  readonly exportId: string;
  readonly startedAtMs: number;
  readonly manifestKey: string;
  /** As in its manifest. */
  readonly organizationId?: string;
}

/** An export that proved complete, and so is compared with the one before it. */
export interface ComparedExport extends ChangeBase {
  readonly connection: string;
  readonly list: string;
}

export type ChangeStatus =
  /** There was none to compare with: the next one is compared with it. */
  | 'first'
  /** Told in one event; nobody asked for an event a record. */
  | 'found'
  /** Each change is being told in an event of its own. */
  | 'publishing'
  | 'published'
  /** More records are gone than is believed: nothing is told until a person decides. */
  | 'held'
  /** Its file cannot be read any more: it is told no further until a person decides. */
  | 'stopped'
  /** A person decided that nothing more of it is told. */
  | 'discarded'
  /** A newer export was compared with the same base, and its changes have these in them. */
  | 'superseded'
  /** Another base counts by now: it is compared again. */
  | 'outdated'
  /** It cannot be compared. */
  | 'refused';

/** A person's decision about changes that are held or stopped. */
export interface ChangeDecision {
  readonly decision: 'release' | 'discard';
  /** Who decided, such as the ARN of the caller; 1 to 2,048 characters. */
  readonly by: string;
  readonly atMs: number;
}

/** The ledger item `change#<exportId>`: what became of comparing an export. Times are milliseconds since the epoch. */
export interface ChangeState extends StepItem, ComparedExport {
  readonly v: 1;
  readonly status: ChangeStatus;
  /** Absent for the first, and for what cannot be compared. */
  readonly since?: ChangeBase;
  /** Of the first: id of the base with which it could not be compared. */
  readonly passedOver?: string;
  readonly counts?: ChangeCounts;
  /** Names the files of changes. */
  readonly summary: StoredSummary;
  /** Why it was refused or stopped, or why there was nothing to compare with. */
  readonly reason?: string;
  /** The limit of removed records that held for it, percent of those before. */
  readonly maxRemovedPercent: number;
  /** Whether each change is told in an event of its own, as soon as the changes are accepted. */
  readonly recordEvents: boolean;
  /** Whether such an event has the record. */
  readonly withRecord: boolean;
  readonly comparedAtMs: number;
  /** The next wake-up is for this step. */
  readonly step: number;
  /** Steps in a row that told nothing. */
  readonly stepsWithoutEvent: number;
  /** Changes that are told: lines of all files of changes, from the first on. */
  readonly next: number;
  /** Whether all is done that follows from the status besides record events: the line has moved, the event is out. */
  readonly closed: boolean;
  readonly decided?: ChangeDecision;
  readonly deleteAfterMs: number;
}

export interface StoredSummary {
  readonly key: string;
  /** Hex: nothing is told of what somebody replaced. */
  readonly sha256: string;
}

export interface ChangeName {
  readonly connection: string;
  readonly exportId: string;
}
