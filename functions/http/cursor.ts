import * as v from 'valibot';

/** The place in a list of exports after which the next page begins. */
export interface Cursor {
  readonly startedAtMs: number;
  readonly exportId: string;
}

const CursorSchema = v.strictTuple([
  v.literal(1),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
  v.pipe(v.string(), v.regex(/^[a-z0-9][a-z0-9-]{0,79}$/)),
]);

/** Text for a URL that only {@link parseCursor} understands. It holds nothing secret. */
export function cursorText(connection: string, { startedAtMs, exportId }: Cursor): string {
  const parts = [1, connection, startedAtMs, exportId];
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

/** `undefined` for what was not made by {@link cursorText} for this connection. */
export function parseCursor(connection: string, text: string): Cursor | undefined {
  const parsed = v.safeParse(CursorSchema, jsonOf(Buffer.from(text, 'base64url').toString()));
  if (!parsed.success) return undefined;
  const [, , startedAtMs, exportId] = parsed.output;
  const cursor = { startedAtMs, exportId };
  // Written anew it must be the same: for this connection, and without characters that decoding passes over.
  return cursorText(connection, cursor) === text ? cursor : undefined;
}

/** Newest first; of equal times the id decides, so that no export is passed over between two pages. */
export function compareByStart(a: Cursor, b: Cursor): number {
  if (a.startedAtMs !== b.startedAtMs) return b.startedAtMs - a.startedAtMs;
  if (a.exportId === b.exportId) return 0;
  return a.exportId < b.exportId ? 1 : -1;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
