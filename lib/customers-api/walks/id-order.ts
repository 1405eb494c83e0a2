import type { Span } from '../../json/json-text.ts';
import { NINE, QUOTE, ZERO } from '../../json/json-tokens.ts';
import type { Page } from '../outcome.ts';
import { placeAt, recordPlaces } from '../record-places.ts';
import type { VerifiedWalk } from './walk-schema.ts';

export type IdOrder = VerifiedWalk['idOrder'];

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
  let before = placeAt(places, 0);
  for (let row = 1; row < recordCount && order !== 'none'; row++) {
    const id = placeAt(places, row);
    order = withOrder(order, stepIn(ndjson, before, id));
    before = id;
  }
  return order;
}

export function stepBetween(id: string, next: string): IdOrder {
  const bytes = Buffer.from(id + next);
  const end = Buffer.byteLength(id);
  return stepIn(bytes, { start: 0, end }, { start: end, end: bytes.length });
}

/** From one id in these bytes to the next. */
export function stepIn(bytes: Uint8Array, id: Span, next: Span): IdOrder {
  const digits = digitsAt(bytes, id);
  const nextDigits = digitsAt(bytes, next);
  if (digits === NO_DIGITS || nextDigits === NO_DIGITS) {
    return digits === nextDigits ? compared(bytes, id, next) : 'none';
  }
  const byLength = digitsEnd(bytes, id) - digits - (digitsEnd(bytes, next) - nextDigits);
  if (byLength !== 0) return byLength < 0 ? 'rising' : 'falling';
  for (let at = digits; at < digitsEnd(bytes, id); at++) {
    const step = (bytes[at] ?? 0) - (bytes[nextDigits + at - digits] ?? 0);
    if (step !== 0) return step < 0 ? 'rising' : 'falling';
  }
  return 'none';
}

function compared(bytes: Uint8Array, id: Span, next: Span): IdOrder {
  const step = Buffer.compare(
    bytes.subarray(id.start, id.end),
    bytes.subarray(next.start, next.end),
  );
  if (step === 0) return 'none';
  return step < 0 ? 'rising' : 'falling';
}

const NO_DIGITS = -1;

/** Where the digits of an id begin, without zeros in front; {@link NO_DIGITS} for an id of anything else. */
function digitsAt(bytes: Uint8Array, id: Span): number {
  const end = digitsEnd(bytes, id);
  let start = bytes[id.start] === QUOTE ? id.start + 1 : id.start;
  if (start >= end) return NO_DIGITS;
  for (let at = start; at < end; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < ZERO || byte > NINE) return NO_DIGITS;
  }
  while (start < end - 1 && bytes[start] === ZERO) start++;
  return start;
}

/** Before the closing quote, if there is one. */
function digitsEnd(bytes: Uint8Array, { start, end }: Span): number {
  return bytes[start] === QUOTE ? end - 1 : end;
}
