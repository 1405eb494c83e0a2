import { defined } from '../defined.ts';
import type { ExportState, RepeatsSoFar } from './export-state.ts';
import type { PartRecord } from './part-record.ts';

export interface RecordIds {
  /** The member that holds an id, `idKey`; several when the setting changed while the export ran. */
  readonly keys: readonly string[];
  /** Customers without an id. */
  readonly missing: number;
  /** Customers with the id of one that was received before; those that a page shares with its neighbour left out. */
  readonly repeated: number;
  /** Those of them whose text is another one. Absent when they were not compared. */
  readonly conflicts?: number;
  /** Those of them whose places show that the list moves by something that its walk does not follow. */
  readonly moved?: number;
  /** Those of them that are not stored, since a newer one is. */
  readonly leftOut: number;
  /** Customers without an id that are equal, as text, to one that was received before. */
  readonly equal: number;
}

export function recordIdsOf(
  { idKeys }: ExportState,
  parts: readonly PartRecord[],
  { ids, texts, conflicts, moved, removed = 0 }: RepeatsSoFar,
): RecordIds {
  const missing = parts.reduce((sum, { withoutId }) => sum + withoutId, 0);
  const compared = defined({ conflicts, moved });
  return { keys: idKeys, missing, repeated: ids, ...compared, leftOut: removed, equal: texts };
}
