import type { Span } from '../../json/json-text.ts';
import { NINE, QUOTE, ZERO } from '../../json/json-tokens.ts';
import type { Page } from '../outcome.ts';
import { placeAt, recordPlaces } from '../record-hashes.ts';

/** How the ids of some rows follow each other; `one`: fewer than two. */
export type IdOrder = 'one' | 'rising' | 'falling' | 'none';

/**
 * @param ids JSON texts. Numbers, and texts of digits alone, are compared by value, all others as text. Both kinds in
 * one list have no order.
 */
export function idOrderOf(ids: readonly string[]): IdOrder {
  let order: IdOrder = 'one';
  for (let at = 1; at < ids.length && order !== 'none'; at++) {
    order = withOrder(order, stepBetween(ids[at - 1] ?? '', ids[at] ?? ''));
  }
  return order;
}

export function withOrder(order: IdOrder, other: IdOrder): IdOrder {
  if (order === 'one' || order === other) return other;
  return other === 'one' ? order : 'none';
}

/** As {@link idOrderOf} of the ids of a page. No text is made of them. */
export function idOrderIn({
  ndjson,
  recordCount,
  idKey,
}: Pick<Page, 'ndjson' | 'recordCount' | 'idKey'>): IdOrder {
  const places = recordPlaces(ndjson, recordCount, idKey);
  let order: IdOrder = 'one';
  for (let row = 1; row < recordCount && order !== 'none'; row++) {
    order = withOrder(order, stepIn(ndjson, placeAt(places, row - 1), placeAt(places, row)));
  }
  return order;
}

export function stepBetween(id: string, next: string): IdOrder {
  const bytes = Buffer.from(id + next);
  const end = Buffer.byteLength(id);
  return stepIn(bytes, { start: 0, end }, { start: end, end: bytes.length });
}

function stepIn(bytes: Uint8Array, id: Span, next: Span): IdOrder {
  const digits = digitsIn(bytes, id);
  const nextDigits = digitsIn(bytes, next);
  if (digits === undefined || nextDigits === undefined) {
    return digits === nextDigits ? compared(bytes, id, next) : 'none';
  }
  const byLength = digits.end - digits.start - (nextDigits.end - nextDigits.start);
  if (byLength !== 0) return byLength < 0 ? 'rising' : 'falling';
  return compared(bytes, digits, nextDigits);
}

function compared(bytes: Uint8Array, id: Span, next: Span): IdOrder {
  const length = Math.min(id.end - id.start, next.end - next.start);
  for (let at = 0; at < length; at++) {
    const step = (bytes[id.start + at] ?? 0) - (bytes[next.start + at] ?? 0);
    if (step !== 0) return step < 0 ? 'rising' : 'falling';
  }
  const byLength = id.end - id.start - (next.end - next.start);
  if (byLength === 0) return 'none';
  return byLength < 0 ? 'rising' : 'falling';
}

/** Without zeros in front; `undefined` for an id of anything else. */
function digitsIn(bytes: Uint8Array, id: Span): Span | undefined {
  const isText = bytes[id.start] === QUOTE;
  const end = isText ? id.end - 1 : id.end;
  let start = isText ? id.start + 1 : id.start;
  if (start >= end) return undefined;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return undefined;
  }
  while (start < end - 1 && bytes[start] === ZERO) start++;
  return { start, end };
}
