import { hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { hashRecords } from '../customers-api/record-hashes.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import { compressionOf } from './compression.ts';
import type { Rows } from './kept-rows.ts';
import { unpack } from './packing.ts';
import type { PartRecord } from './part-record.ts';
import type { Store } from './ports.ts';

/** The bytes of a part as they were stored. They were in the memory of a worker before, so they fit into this one. */
async function readPart(
  store: Pick<Store, 'readBytes'>,
  { key, storedBytes, sha256 }: PartRecord,
): Promise<Uint8Array> {
  const stored = await store.readBytes(key, 0, storedBytes);
  if (hash('sha256', stored) === sha256) return stored;
  throw new Error(
    `${key} was read with another SHA-256 than it was stored with. Check who else writes to the bucket.`,
  );
}

/** The rows of a part, some at a time. Nothing else has their memory. */
export async function* rowsIn(
  store: Pick<Store, 'readBytes'>,
  part: PartRecord,
  idKey: string,
): AsyncGenerator<Rows> {
  const stored = Readable.from([await readPart(store, part)]);
  let begun: readonly Buffer[] = [];
  for await (const piece of unpack(stored, compressionOf(part.key))) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const ndjson = Buffer.concat([...begun, piece.subarray(0, end)]);
      const recordCount = linesIn(ndjson);
      const recordHashes = hashRecords(ndjson, recordCount, idKey).hashes;
      yield { ndjson, recordCount, recordHashes };
      begun = [];
    }
    if (end < piece.length) begun = [...begun, piece.subarray(end)];
  }
}

function linesIn(ndjson: Uint8Array): number {
  let lines = 0;
  for (let at = ndjson.indexOf(LINE_FEED); at >= 0; at = ndjson.indexOf(LINE_FEED, at + 1)) lines++;
  return lines;
}
