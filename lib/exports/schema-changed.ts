import type { ShapeChange } from '../schema/compare-shapes.ts';
import type { ListSchema } from './list-schema.ts';

/** The records of a list look otherwise than those of its last export; the JSON Schema in `lib/events` says more. */
export interface SchemaChangedEvent {
  /** Equal for repeats of an event. */
  readonly id: string;
  readonly kind: 'schema-changed';
  readonly atMs: number;
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  /** The export that it was compared with. */
  readonly sinceExportId: string;
  /** The whole report. */
  readonly schemaKey: string;
  /** The first ones, as many as an event holds. */
  readonly changes: readonly ShapeChange[];
  /** Further changes. */
  readonly changesLeftOut: number;
}

/** EventBridge takes 256 KiB for an event ("PutEvents"); paths of odd names are long. */
const MAX_CHANGES_BYTES = 100 * 1024;

/** `undefined` when nothing changed, or when there was no report before. Equal reports give equal events. */
export function schemaChangedEvent(
  schema: ListSchema,
  schemaKey: string,
): SchemaChangedEvent | undefined {
  const { connection, list, exportId, since, changes, changesLeftOut = 0 } = schema;
  if (since === undefined || changes.length === 0) return undefined;
  const told = fitting(changes);
  return {
    id: `${connection}/${exportId}/schema-changed`,
    kind: 'schema-changed',
    atMs: Date.parse(schema.endedAt),
    connection,
    list,
    exportId,
    sinceExportId: since.exportId,
    schemaKey,
    changes: told,
    changesLeftOut: changes.length - told.length + changesLeftOut,
  };
}

function fitting(changes: readonly ShapeChange[]): readonly ShapeChange[] {
  let bytes = 0;
  const end = changes.findIndex((change) => {
    bytes += Buffer.byteLength(JSON.stringify(change)) + 1;
    return bytes > MAX_CHANGES_BYTES;
  });
  return end < 0 ? changes : changes.slice(0, end);
}
