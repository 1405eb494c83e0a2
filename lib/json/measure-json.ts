import { stringEnd } from './json-scalar.ts';
import { afterSpace, type Span } from './json-text.ts';
import { CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './json-tokens.ts';

export interface JsonMeasure {
  /** Of objects and lists: 0 for a scalar, 1 for one without others in it. */
  readonly depth: number;
  /** Of all objects in it, and the elements of all lists. */
  readonly members: number;
}

export function measureJson(bytes: Uint8Array, { start, end }: Span): JsonMeasure {
  let depth = 0;
  let open = 0;
  let members = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) at = stringEnd(bytes, at) - 1;
    else if (byte === COMMA) members++;
    else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      depth = Math.max(depth, ++open);
      const first = bytes[afterSpace(bytes, at + 1)];
      // One more than there are commas, if there is any.
      if (first !== CLOSE_OBJECT && first !== CLOSE_ARRAY) members++;
    } else if (byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) open--;
  }
  return { depth, members };
}
