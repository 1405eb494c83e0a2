import * as v from 'valibot';
import { type Stored, text, timeMs } from '../stored.ts';

/**
 * The ledger item `active-export`: the unfinished exports of a connection, in the order in which they take turns. One
 * write changes all of it. There is no item while there is no unfinished export.
 */
export type ExportLine = Stored<typeof ExportLineSchema>;

export type LineEntry = ExportLine['entries'][number];

export const ExportLineSchema = v.object({
  connection: text,
  /** Replaced with every write; each write is conditional on the one before. */
  writeToken: text,
  /**
   * The first is the head: it runs, is halted, or was cancelled and is being left. All others wait, one for each list
   * at most: of the head's list only while the head is being left.
   */
  entries: v.pipe(
    v.array(
      v.object({
        list: text,
        /** The head has a ledger item of this id, or gets it now. The others have none before their turn. */
        exportId: text,
        /** Of the head: `startedAtMs` of its export. Of others: when they joined the line. */
        sinceMs: timeMs,
      }),
    ),
    v.minLength(1),
  ),
});

/** An export that waits for the other lists of its connection. */
export interface QueuedExport extends LineEntry {
  readonly connection: string;
  /** 1: it is next. */
  readonly place: number;
}

type Entries = ExportLine['entries'];

/**
 * With an entry of this list at the end; `undefined` if there is one of it.
 *
 * @param overId This export is over, and does not count. @default none
 */
export function joined(entries: Entries, wanted: LineEntry, overId?: string): Entries | undefined {
  const isThere = entries.some(({ list, exportId }) => list === wanted.list && exportId !== overId);
  return isThere ? undefined : [...entries, wanted];
}

/** Without this export; `undefined` if it is not there. If it was the head, the next one begins now. */
export function left(entries: Entries, exportId: string, nowMs: number): Entries | undefined {
  const others = entries.filter((each) => each.exportId !== exportId);
  if (others.length === entries.length) return undefined;
  const isHead = entries[0]?.exportId === exportId;
  const [next, ...rest] = others;
  return isHead && next !== undefined ? [{ ...next, sinceMs: nowMs }, ...rest] : others;
}

/** With another export of the list in the place of this one; `undefined` if this one is not there. */
export function replaced(
  entries: Entries,
  exportId: string,
  successor: LineEntry,
): Entries | undefined {
  if (!entries.some((each) => each.exportId === exportId)) return undefined;
  return entries.map((each) => (each.exportId === exportId ? successor : each));
}

/** An export that has no ledger item yet: at the head of the line it gets one now. */
export function waitingIn(
  { connection, entries }: ExportLine,
  exportId: string,
): QueuedExport | undefined {
  const index = entries.findIndex((each) => each.exportId === exportId);
  const entry = entries[index];
  return entry && { connection, ...entry, place: Math.max(1, index) };
}

/** Those that wait, in their order. */
export function queuedIn({
  connection,
  entries,
}: Pick<ExportLine, 'connection' | 'entries'>): readonly QueuedExport[] {
  return entries.slice(1).map((each, index) => ({ connection, ...each, place: index + 1 }));
}
