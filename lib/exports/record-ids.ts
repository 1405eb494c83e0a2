import type { ExportState, PartRecord } from './export-state.ts';
import type { Repeats } from './part-index.ts';

/** What the ids of the received customers show. */
export interface RecordIds {
  /** The member that holds an id, `idKey`; several when the setting changed while the export ran. */
  readonly keys: readonly string[];
  /** Customers without an id. */
  readonly missing: number;
  /** Customers with the id of one that was received before. */
  readonly repeated: number;
  /** Customers without an id that are equal, as text, to one that was received before. */
  readonly equal: number;
}

export function recordIdsOf(
  { idKeys }: ExportState,
  parts: readonly PartRecord[],
  repeats: Repeats,
): RecordIds {
  const missing = parts.reduce((sum, { withoutId }) => sum + withoutId, 0);
  return { keys: idKeys, missing, repeated: repeats.ids, equal: repeats.texts };
}
