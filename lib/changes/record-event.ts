import { hash } from 'node:crypto';
import { defined } from '../defined.ts';
import { CUSTOMERS_LIST } from '../exports/list-settings.ts';
import { type Change, type ChangeKind, idAsText } from './change.ts';
import type { ChangeState } from './change-state.ts';

/** One event, as it is handed to EventBridge. */
export interface RecordEntry {
  readonly detailType: RecordDetailType;
  /** JSON text. */
  readonly detail: string;
  readonly atMs: number;
}

type RecordDetailType = (typeof DETAIL_TYPES)[keyof typeof DETAIL_TYPES][ChangeKind];

/** Customers are named, records of all other lists are not. */
const DETAIL_TYPES = {
  customers: {
    added: 'Customer Added',
    changed: 'Customer Changed',
    removed: 'Customer Removed',
  },
  others: { added: 'Record Added', changed: 'Record Changed', removed: 'Record Removed' },
} as const;

interface EventsAbout {
  readonly state: ChangeState;
  /** Id of the integration. */
  readonly integration: string;
  /** Of the export store. */
  readonly bucket: string;
  /** The member of a record that has its id. */
  readonly idKey: string;
}

/**
 * EventBridge takes 256 KB for an entry and for all of a request (API reference, PutEvents), and so does a queue for an
 * event with what EventBridge puts around it, a few hundred bytes.
 */
export const MAX_ENTRY_BYTES = 250_000;

/** What an entry counts besides its texts: its time (EventBridge user guide, "Calculating PutEvents event entry size"). */
const TIME_BYTES = 14;

/**
 * The event of one change; equal for the same change however often it is made. It has the record where that is asked
 * for and fits: as text, so that no parser of the event changes a digit of it. Of very long names of members it has
 * those that fit.
 *
 * @returns `undefined` when it fits nowhere: its id alone is too long.
 */
export function recordEntry(about: EventsAbout, change: Change): RecordEntry | undefined {
  const { state } = about;
  const ofList = state.list === CUSTOMERS_LIST ? DETAIL_TYPES.customers : DETAIL_TYPES.others;
  const detailType = ofList[change.change];
  for (const form of formsOf(about, change)) {
    const entry = { detailType, detail: JSON.stringify(form), atMs: state.comparedAtMs };
    if (entryBytes(entry) <= MAX_ENTRY_BYTES) return entry;
  }
  return undefined;
}

/** The fullest first. */
function* formsOf(about: EventsAbout, change: Change) {
  const without = detailOf(about, change);
  const mayCome = about.state.withRecord && !NOT_FOR_QUEUES.test(change.record);
  if (mayCome) yield { ...without, record: change.record };
  yield without;
  const { members = [] } = change;
  for (let count = Math.floor(members.length / 2); count > 0; count = Math.floor(count / 2)) {
    yield detailOf(about, { ...change, members: members.slice(0, count) });
  }
  if (members.length > 0) yield detailOf(about, { ...change, members: [] });
}

/** SQS refuses a message with these, so a rule could not hand the event to a queue (API reference, SendMessage). */
const NOT_FOR_QUEUES = /[\ufffe\uffff]/;

/** As EventBridge counts it, with room for the source. */
export function entryBytes({ detailType, detail }: RecordEntry): number {
  return Buffer.byteLength(detail) + detailType.length + SOURCE_BYTES + TIME_BYTES;
}

/** The length of the source of all our events, `customers-functions`. */
const SOURCE_BYTES = 19;

function detailOf({ state, integration, bucket, idKey }: EventsAbout, change: Change) {
  const { connection, list, exportId, startedAtMs, comparedAtMs, since } = state;
  const { change: kind, id, members, before, after, at } = change;
  return {
    v: 1,
    integration,
    id: eventId(state, change),
    kind,
    atMs: comparedAtMs,
    connection,
    list,
    exportId,
    exportStartedAtMs: startedAtMs,
    ...defined({ sinceExportId: since?.exportId }),
    idKey,
    recordId: idAsText(id),
    recordIdJson: id,
    // Of too many members a change names none.
    ...defined({ members: kind === 'changed' ? (members ?? []) : undefined, before, after }),
    recordAt: { bucket, key: at.key, line: at.line },
  };
}

/** By the JSON text of the record's id: the number 1 and the text "1" are two records. */
function eventId(
  { connection, list, exportId, since }: ChangeState,
  { id, change }: Change,
): string {
  const parts = [connection, list, exportId, since?.exportId ?? '', change, id];
  return hash('sha256', parts.join('\n')).slice(0, EVENT_ID_DIGITS);
}

/** 160 bits. */
const EVENT_ID_DIGITS = 40;
