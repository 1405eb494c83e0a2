import * as v from 'valibot';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { CUSTOMERS_LIST } from '../../../lib/exports/list-settings.ts';
import { parseJson } from '../../../lib/json/json-value.ts';
import type { OutputStream } from '../../command/surroundings.ts';
import { liveLine } from '../../command-line/live-line.ts';
import { WAIT_WORDS } from '../../command-line/wait-words.ts';
import { count, counted } from '../../command-line/words.ts';

const BAR_WIDTH = 24;
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

export function createProgress(out: OutputStream, now: () => number): Progress {
  const live = liveLine(out);
  return {
    say: (what) => live.showOneOf([what]),
    note: live.note,
    show: (state, turn) => {
      const lines = progressLines(state, turn, now());
      const bar = out.isTTY === true ? barOf(state) : undefined;
      live.showOneOf(bar === undefined ? lines : [`${bar} ${lines[0]}`, ...lines]);
    },
    end: live.end,
  };
}

/** How far an export is and what it waits for, in fewer and fewer words; pure. */
export function progressLines(state: ExportState, turn: Turn, nowMs: number): readonly string[] {
  const { pages, customers, throttles } = state.counters;
  const total = state.walk.list.lastTotal;
  const which = turn.of > 1 ? `${state.list} (${turn.number} of ${turn.of} lists): ` : '';
  const records = turn.of > 1 ? 'records' : recordsWord(state.list);
  const of = total === undefined ? '' : ` of ${count(total)}`;
  const read = `${count(customers)}${of} ${records}`;
  const all = [
    `${which}${read}`,
    counted(pages, 'page'),
    ...(throttles > 0 ? [`${count(throttles)} throttled`] : []),
  ].join(', ');
  const wait = waitOf(state, nowMs);
  if (wait === undefined) return [all, `${which}${read}`, read];
  const { until, why, short } = wait;
  const soon = `until ${until}: ${short}`;
  return [
    `${all}, waiting until ${until}, ${why}`,
    `${which}${read}, ${counted(pages, 'page')}, ${soon}`,
    `${read}, ${soon}`,
  ];
}

function waitOf({ notBeforeMs, waitsFor = 'throttled', inRow }: ExportState, nowMs: number) {
  if (notBeforeMs <= nowMs) return undefined;
  const { why, short } = WAIT_WORDS[waitsFor];
  const { failures } = inRow;
  const isAgain =
    failures > 1 && !['throttled', 'paced', 'cut-off', 'failed-call'].includes(waitsFor);
  const until = clockTime(notBeforeMs);
  return { until, why: isAgain ? `${why}, ${failures} times in a row` : why, short };
}

/** `undefined` without a total to measure against. */
function barOf(state: ExportState): string | undefined {
  const total = state.walk.list.lastTotal;
  if (total === undefined || total === 0) return undefined;
  const full = Math.round(Math.min(1, state.counters.customers / total) * BAR_WIDTH);
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
  const { level, message, errorName, errorMessage, reason } = parsed.output;
  const why = [errorName, errorMessage, reason].filter((part) => part !== undefined).join(': ');
  // Other lines tell what was done, such as to a rejected key, which nothing sends again.
  const then = level === 'ERROR' && errorName !== undefined ? ' It is tried again by itself.' : '';
  return `${functionName}: ${message}${why === '' ? '' : ` (${why})`}.${then}`;
}
