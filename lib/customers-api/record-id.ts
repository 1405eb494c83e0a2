import {
  afterSpace,
  kindAt,
  type Member,
  membersOf,
  type Span,
  textOf,
} from '../json/json-text.ts';
import type { Lists } from '../json/scan-json.ts';

const NO_LISTS: Lists = new Map();

/** The JSON text of a record's id; `undefined` where there is none, or where it is an object or a list. */
export function idIn(bytes: Uint8Array, record: Span, idKey: string): string | undefined {
  if (kindAt(bytes, record.start) !== 'object') return undefined;
  let id: Member | undefined;
  // The last of duplicate members counts, as for JSON.parse.
  for (const member of membersOf({ bytes, lists: NO_LISTS }, record.start)) {
    if (member.name === idKey) id = member;
  }
  return id?.kind === 'scalar' ? textOf(bytes, id) : undefined;
}

/** As {@link idIn}, of a record whose text is given. */
export function idOf(text: string, idKey: string): string | undefined {
  const bytes = Buffer.from(text);
  return idIn(bytes, { start: afterSpace(bytes, 0), end: bytes.length }, idKey);
}
