import { LINE_FEED } from '../json/json-tokens.ts';
import { compressionOf } from './compression.ts';
import type { Rows } from './kept-rows.ts';
import { PartWriter } from './part.ts';
import type { PartRecord } from './part-record.ts';
import type { ExportPorts } from './ports.ts';
import type { PlacedRow, RepeatedRows } from './repeated-rows.ts';
import { aboutPart, COMPACT_TOKEN, partKey } from './store-objects.ts';
import { rowsIn } from './stored-rows.ts';

/** A row whose id came before. */
export interface RepeatedRow {
  readonly row: PlacedRow;
  readonly isChanged: boolean;
  /** Where the one before is. */
  readonly before: Pick<PlacedRow, 'part' | 'line'>;
}

/** Notes the rows of a part whose ids came more than once. The parts before it must have been noted. */
export async function* noteRows(
  store: Pick<ExportPorts['store'], 'readBytes'>,
  part: PartRecord,
  repeated: RepeatedRows,
  idKey: string,
): AsyncGenerator<RepeatedRow> {
  let line = 0;
  for await (const rows of rowsIn(store, part, idKey)) {
    for (const { row, text } of placedRows(rows, part, line, repeated)) {
      const noted = repeated.note(row, text, idKey);
      if (noted.kind === 'first' || noted.kind === 'other') continue;
      yield { row, isChanged: noted.kind === 'changed', before: noted };
    }
    line += rows.recordCount;
  }
}

/**
 * Stores a part again without the rows of which a newer one is stored, and its record. It counts once that is
 * committed.
 *
 * @returns The rows that were left out; without any the part stays.
 */
export async function compactPart(
  ports: Pick<ExportPorts, 'store' | 'ledger'>,
  part: PartRecord,
  place: Parameters<typeof partKey>[0],
  { repeated, idKey }: { readonly repeated: RepeatedRows; readonly idKey: string },
): Promise<number> {
  const writer = new PartWriter(part.firstPage, compressionOf(part.key));
  let line = 0;
  try {
    for await (const rows of rowsIn(ports.store, part, idKey)) {
      const placed = [...placedRows(rows, part, line, repeated)];
      const older = placed.filter(({ row }) => repeated.isOlder(row));
      await writer.append(rows, { skip: older.map(({ row }) => row.line - line) });
      line += rows.recordCount;
    }
    const left = part.records - writer.records;
    if (left > 0) await storeCompact(ports, part, place, writer);
    return left;
  } finally {
    writer.discard();
  }
}

async function storeCompact(
  { store, ledger }: Pick<ExportPorts, 'store' | 'ledger'>,
  { index: _index, again: _again, ...part }: PartRecord,
  place: Parameters<typeof partKey>[0],
  writer: PartWriter,
): Promise<void> {
  const body = await writer.finish();
  const { records, bytes, stored, sha256, index } = body;
  const key = partKey(place, part.number, COMPACT_TOKEN, body.compression);
  const isEmpty = records === 0;
  // One without rows is no object, and in no manifest.
  const version = isEmpty ? '' : await store.put(key, stored, aboutPart(body));
  await ledger.putPart({
    ...part,
    ...{ token: COMPACT_TOKEN, key },
    ...{ records, bytes, storedBytes: isEmpty ? 0 : stored.length, sha256, version },
    ...{ withoutId: index.withoutId, repeats: index.repeats },
  });
}

/** The rows whose ids came more than once. */
function* placedRows(
  { ndjson, recordCount, recordHashes }: Rows,
  { number: part }: PartRecord,
  firstLine: number,
  repeated: RepeatedRows,
): Generator<{ readonly row: PlacedRow; readonly text: Uint8Array }> {
  let start = 0;
  for (let position = 0; position < recordCount; position++) {
    const end = ndjson.indexOf(LINE_FEED, start);
    const low = recordHashes[2 * position] ?? 0;
    const high = recordHashes[2 * position + 1] ?? 0;
    if (repeated.has({ low, high })) {
      const row = { low, high, part, line: firstLine + position };
      yield { row, text: ndjson.subarray(start, end) };
    }
    start = end + 1;
  }
}
