import * as v from 'valibot';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { lastTotalOf } from '../../../lib/exports/last-total.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import { count } from '../../command-line/words.ts';

const BAR_WIDTH = 24;
/** Of a terminal that does not say how wide it is. */
const NARROW = 80;

/** Back to the beginning, then delete to the end of the line (ECMA-48, EL). */
const CLEAR_LINE = '\r\u001b[K';

/** Which of the lists that are exported in turns. */
export interface Turn {
  /** 1 for the first one. */
  readonly number: number;
  readonly of: number;
}

/** Shows how far an export is: one line that changes on a terminal, a line for each change elsewhere. */
export interface Progress {
  readonly say: (what: string) => void;
  readonly show: (state: ExportState, turn: Turn) => void;
  /** Prints a line that stays, above the progress. */
  readonly note: (what: string) => void;
  /** Clears the line of a terminal. */
  readonly end: () => void;
}

export function createProgress(
  out: { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown },
  now: () => number,
): Progress {
  const isTerminal = out.isTTY === true;
  let shown = '';
  /** What does not fit into one line of a terminal could not be cleared again. */
  const fits = (text: string) => !isTerminal || text.length < (out.columns || NARROW);
  const line = (whole: string) => {
    const text = fits(whole) ? whole : `${whole.slice(0, (out.columns || NARROW) - 2)}…`;
    if (text === shown) return;
    shown = text;
    out.write(isTerminal ? CLEAR_LINE + text : `${text}\n`);
  };
  return {
    say: line,
    note: (what) => out.write(isTerminal ? `${CLEAR_LINE}${what}\n${shown}` : `${what}\n`),
    show: (state, turn) => {
      const withBar = progressLine(state, turn, isTerminal, now());
      line(fits(withBar) ? withBar : progressLine(state, turn, false, now()));
    },
    end: () => {
      if (isTerminal && shown !== '') out.write(CLEAR_LINE);
      shown = '';
    },
  };
}

/** One line about an export; pure. */
export function progressLine(
  state: ExportState,
  turn: Turn,
  withBar: boolean,
  nowMs: number,
): string {
  const { pages, customers, throttles } = state.counters;
  const total = lastTotalOf(state);
  const which = turn.of > 1 ? `${state.list} (${turn.number} of ${turn.of} lists): ` : '';
  const records = turn.of > 1 ? 'records' : recordsWord(state.list);
  const parts = [
    total === undefined
      ? `${count(customers)} ${records}`
      : `${count(customers)} of ${count(total)} ${records}`,
    `${count(pages)} pages`,
    ...(throttles > 0 ? [`${count(throttles)} throttled`] : []),
    ...(state.notBeforeMs > nowMs ? [`waiting until ${clockTime(state.notBeforeMs)}`] : []),
  ];
  const bar = withBar && total !== undefined && total > 0 ? `${barOf(customers / total)} ` : '';
  return bar + which + parts.join(', ');
}

function barOf(share: number): string {
  const full = Math.round(Math.min(1, share) * BAR_WIDTH);
  return `[${'#'.repeat(full)}${'-'.repeat(BAR_WIDTH - full)}]`;
}

/** What the records of a list are called where no other list is near. */
export function recordsWord(list: string): string {
  return list === CUSTOMERS_LIST ? 'customers' : 'records';
}

function clockTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(11, 19)} UTC`;
}

const LogLineSchema = v.object({
  level: v.picklist(['WARN', 'ERROR']),
  message: v.string(),
  errorName: v.optional(v.string()),
  errorMessage: v.optional(v.string()),
  reason: v.optional(v.string()),
});

/** A warning or an error in a function's log, as one sentence for a person; `undefined` for other lines. */
export function troubleIn(functionName: string, line: string): string | undefined {
  const parsed = v.safeParse(LogLineSchema, parseJson(line));
  if (!parsed.success) return undefined;
  const { message, errorName, errorMessage, reason } = parsed.output;
  const why = [errorName, errorMessage, reason].filter((part) => part !== undefined).join(': ');
  return `${functionName}: ${message}${why === '' ? '' : ` (${why})`}. It is tried again by itself.`;
}
