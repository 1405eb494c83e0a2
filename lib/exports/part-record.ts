import * as v from 'valibot';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';

/** How many records came before already. */
export type Repeats = Stored<typeof RepeatsSchema>;

export const RepeatsSchema = v.object({
  /** Records with an id that an earlier record has. */
  ids: count,
  /** Records without an id whose text an earlier record has. */
  texts: count,
});

/**
 * The ledger item of one stored part (`part#<exportId>#<number>#<token>`). It counts only when it is in the
 * chain that begins at `ExportState.parts`. Records of a crashed or overtaken worker are in no chain.
 */
export type PartRecord = Stored<typeof PartRecordSchema>;

export const PartRecordSchema = v.object({
  connection: text,
  exportId: text,
  /** From 1. */
  number: count,
  /** Unique per claim: the first 8 hex digits of the lease owner. */
  token: text,
  previousToken: maybe(text),
  key: text,
  /** Counted from that of the list, as the pages were taken. */
  firstPage: count,
  pages: count,
  records: count,
  /** Bytes before compression. */
  bytes: count,
  storedBytes: count,
  /** SHA-256 of the stored bytes, hex. */
  sha256: text,
  /** Of the stored object: what the store answered when it had checked `sha256`. */
  version: text,
  /** Records that each page shared with those before it; absent where none did. */
  overlaps: maybe(v.array(count)),
  /** Of records that may have been read before: the line with the first of them, that behind the last, and so on. */
  again: maybe(v.array(count)),
  /** Records without an id under `idKey`. */
  withoutId: count,
  /** Within this part. */
  repeats: RepeatsSchema,
  /** The stored index of its records; absent when it is the only part of its list. */
  index: maybe(v.object({ bytes: count, version: text })),
  deleteAfterMs: timeMs,
});
