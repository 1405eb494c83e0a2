import type { Span } from '../json/json-text.ts';
import { measureJson } from '../json/measure-json.ts';

/** Blocks of counts, pages and links have some hundred bytes, and are kept as text and handed on to callers. */
const MAX_META_BYTES = 64 * 1024;
/** `meta.pagination.links.next.href` is as deep as real APIs go. */
const MAX_META_DEPTH = 8;
/** Members of objects and elements of lists; real ones have ten or twenty. */
const MAX_META_MEMBERS = 1_000;

/** Why a `meta` block is not read; `undefined` for one that is. */
export function metaProblem(bytes: Uint8Array, meta: Span): string | undefined {
  const size = meta.end - meta.start;
  if (size > MAX_META_BYTES) return `meta has ${size} bytes, more than ${MAX_META_BYTES}`;
  const { depth, members } = measureJson(bytes, meta);
  if (depth > MAX_META_DEPTH) return `meta is nested ${depth} deep, deeper than ${MAX_META_DEPTH}`;
  if (members > MAX_META_MEMBERS) {
    return `meta has ${members} members, more than ${MAX_META_MEMBERS}`;
  }
  return undefined;
}
