import * as v from 'valibot';
import type { HistoryPlace } from '../../lib/exports/export-state.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { EXPORT_ID } from '../../lib/names.ts';

const CursorSchema = v.strictTuple([
  v.literal(1),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.pipe(v.string(), v.regex(EXPORT_ID)),
]);

/** The place in a list of exports after which the next page begins, as text for a URL that only {@link parseCursor} understands. It holds nothing secret. */
export function cursorText(connection: string, { startedAtMs, exportId }: HistoryPlace): string {
  const parts = [1, connection, startedAtMs, exportId];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** `undefined` for what was not made by {@link cursorText} for this connection. */
export function parseCursor(connection: string, text: string): HistoryPlace | undefined {
  const parsed = v.safeParse(CursorSchema, parseJson(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const [, , startedAtMs, exportId] = parsed.output;
  const cursor = { startedAtMs, exportId };
  // Written anew it must be the same: for this connection, and without characters that decoding passes over.
  return cursorText(connection, cursor) === text ? cursor : undefined;
}
