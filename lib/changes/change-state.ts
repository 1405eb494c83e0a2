import * as v from 'valibot';
import { stepEntries } from '../steps/step-item.ts';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';
import { CountsSchema } from './changes-summary.ts';

/** An export that others are compared with. */
export type ChangeBase = Stored<typeof ChangeBaseSchema>;

export const ChangeBaseSchema = v.object({
  exportId: text,
  startedAtMs: timeMs,
  manifestKey: text,
  /** As in its manifest. */
  organizationId: maybe(text),
});

/** An export that proved complete, and so is compared with the one before it. */
export interface ComparedExport extends ChangeBase {
  readonly connection: string;
  readonly list: string;
}

export type ChangeStatus = ChangeState['status'];

const status = v.picklist([
  /** There was none to compare with: the next one is compared with it. */
  'first',
  /** Told in one event; nobody asked for an event a record. */
  'found',
  /** Each change is being told in an event of its own. */
  'publishing',
  'published',
  /** More records are gone than is believed: nothing is told until a person decides. */
  'held',
  /** Its file cannot be read any more: it is told no further until a person decides. */
  'stopped',
  /** A person decided that nothing more of it is told. */
  'discarded',
  /** A newer export was compared with the same base, and its changes have these in them. */
  'superseded',
  /** Another base counts by now: it is compared again. */
  'outdated',
  'refused',
]);

export type StoredSummary = Stored<typeof summary>;

const summary = v.object({
  key: text,
  /** Hex: nothing is told of what somebody replaced. */
  sha256: text,
});

/** A person's decision about changes that are held or stopped. */
export type ChangeDecision = Stored<typeof decided>;

const decided = v.object({
  decision: v.picklist(['release', 'discard']),
  /** Who decided, such as the ARN of the caller; 1 to 2,048 characters. */
  by: text,
  atMs: timeMs,
});

/** The ledger item `change#<exportId>`: what became of comparing an export. Times are milliseconds since the epoch. */
export type ChangeState = Stored<typeof ChangeStateSchema>;

export const ChangeStateSchema = v.object({
  ...stepEntries,
  ...ChangeBaseSchema.entries,
  v: v.literal(1),
  connection: text,
  list: text,
  status,
  /** Absent for the first, and for what cannot be compared. */
  since: maybe(ChangeBaseSchema),
  /** Of the first: id of the base with which it could not be compared. */
  passedOver: maybe(text),
  counts: maybe(CountsSchema),
  /** Names the files of changes. */
  summary,
  /** Why it was refused or stopped, or why there was nothing to compare with. */
  reason: maybe(text),
  /** The limit of removed records that held for it, percent of those before. */
  maxRemovedPercent: v.number(),
  /** Whether each change is told in an event of its own, as soon as the changes are accepted. */
  recordEvents: v.boolean(),
  /** Whether such an event has the record. */
  withRecord: v.boolean(),
  comparedAtMs: timeMs,
  /** The next wake-up is for this step. */
  step: count,
  /** Steps in a row that told nothing. */
  stepsWithoutEvent: count,
  /** Changes that are told: lines of all files of changes, from the first on. */
  next: count,
  /** Whether all is done that follows from the status besides record events: the line has moved, the event is out. */
  closed: v.boolean(),
  decided: maybe(decided),
  deleteAfterMs: timeMs,
});

export interface ChangeName {
  readonly connection: string;
  readonly exportId: string;
}
