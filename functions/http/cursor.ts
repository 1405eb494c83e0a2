import * as v from 'valibot';
import type { HistoryPlace } from '../../lib/exports/export-state.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { EXPORT_ID } from '../../lib/names.ts';
import { count } from '../../lib/stored.ts';

const CursorSchema = v.strictTuple([
  v.literal(1),
  v.string(),
  count,
  v.pipe(v.string(), v.regex(EXPORT_ID)),
]);

const FileCursorSchema = v.strictTuple([
  v.literal(1),
  v.string(),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
]);

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

/** The same for the files of an export. @param count How many files came before. */
export function fileCursorText(connection: string, exportId: string, count: number): string {
  return textOf([1, connection, exportId, count]);
}

/** How many files came before; `undefined` for what was not made by {@link fileCursorText} for this export. */
export function parseFileCursor(
  connection: string,
  exportId: string,
  text: string,
): number | undefined {
  const parsed = v.safeParse(FileCursorSchema, partsOf(text));
  if (!parsed.success) return undefined;
  const [, , , count] = parsed.output;
  return fileCursorText(connection, exportId, count) === text ? count : undefined;
}

const ChangesCursorSchema = v.strictTuple([
  v.literal(1),
  v.string(),
  v.string(),
  v.string(),
  v.pipe(v.number(), v.safeInteger(), v.minValue(1)),
]);

/** Which changes a cursor belongs to. */
export interface ChangesPlace {
  readonly connection: string;
  readonly exportId: string;
  /** Of their summary: an export that is compared again may have others. */
  readonly summary: string;
}

/** The same for changes. @param line How many came before, also of kinds that were not asked for. */
export function changesCursorText(place: ChangesPlace, line: number): string {
  const { connection, exportId, summary } = place;
  return textOf([1, connection, exportId, summary, line]);
}

/** `undefined` for what was not made by {@link changesCursorText} for these changes. */
export function parseChangesCursor(place: ChangesPlace, text: string): number | undefined {
  const parsed = v.safeParse(ChangesCursorSchema, partsOf(text));
  if (!parsed.success) return undefined;
  const line = parsed.output[4];
  return changesCursorText(place, line) === text ? line : undefined;
}

function textOf(parts: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}

function partsOf(text: string): unknown {
  return parseJson(Buffer.from(text, 'base64url').toString());
}
