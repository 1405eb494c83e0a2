import * as v from 'valibot';
import type { HistoryPlace } from '../../lib/exports/export-state.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ExportIdSchema } from '../../lib/names.ts';
import { count } from '../../lib/stored.ts';

const CursorSchema = v.strictTuple([v.literal(1), v.string(), count, ExportIdSchema]);

/** The place in a list of exports after which the next page begins, as text for a URL that only {@link parseCursor} understands. It holds nothing secret. */
export function cursorText(connection: string, { startedAtMs, exportId }: HistoryPlace): string {
  return textOf([1, connection, startedAtMs, exportId]);
}

/** `undefined` for what was not made by {@link cursorText} for this connection. */
export function parseCursor(connection: string, text: string): HistoryPlace | undefined {
  const parsed = v.safeParse(CursorSchema, partsOf(text));
  if (!parsed.success) return undefined;
  const [, , startedAtMs, exportId] = parsed.output;
  const cursor = { startedAtMs, exportId };
  // Written anew it must be the same: for this connection, and without characters that decoding passes over.
  return cursorText(connection, cursor) === text ? cursor : undefined;
}

/** The same for what belongs to one thing, such as the files of an export. @param shown How many came before. */
export function placeText(of: readonly string[], shown: number): string {
  return textOf([1, ...of, shown]);
}

/** How many came before; `undefined` for what was not made by {@link placeText} for the same. */
export function parsePlace(of: readonly string[], text: string): number | undefined {
  const parts = v.safeParse(v.array(v.unknown()), partsOf(text));
  const shown = v.safeParse(v.pipe(count, v.minValue(1)), parts.success && parts.output.at(-1));
  return shown.success && placeText(of, shown.output) === text ? shown.output : undefined;
}

function textOf(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function partsOf(text: string): unknown {
  return parseJson(Buffer.from(text, 'base64url').toString());
}
