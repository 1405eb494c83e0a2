import { afterSpace, textOf } from '../json/json-text.ts';
import { idSpan } from './record-hashes.ts';

/** The JSON text of a record's id, as `hashRecords` finds it; `undefined` where there is none. */
export function idIn(bytes: Uint8Array, idKey: string): string | undefined {
  const record = { bytes, start: afterSpace(bytes, 0), end: bytes.length };
  const id = idSpan(record, Buffer.from(JSON.stringify(idKey)));
  return id && textOf(bytes, id);
}

/** As {@link idIn}, of a record whose text is given, perhaps on several lines. */
export function idOf(text: string, idKey: string): string | undefined {
  // No text in JSON has a line feed as it is.
  return idIn(Buffer.from(text.replaceAll('\n', ' ')), idKey);
}
