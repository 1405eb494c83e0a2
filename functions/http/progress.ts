import { isoTime } from '../../lib/exports/bounds.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';

/** Only what is stored is complete, so what is nearly there stays below 100. */
const MOST_BEFORE_THE_END = 99;

/** ECMAScript's latest time (8.64e15 ms); what is expected behind it is not expected at all. */
const MAX_TIME_MS = 8.64e15;

/**
 * How far an export is. What cannot be known is `null`, never a guess.
 *
 * @param notBeforeMs No request of the export before then.
 */
export function progressOf(state: ExportState, notBeforeMs: number, nowMs: number) {
  const { pages, customers } = state.counters;
  const total = usableTotal(state);
  return {
    pages,
    customers,
    // What the API's `meta` said last.
    totalCustomers: state.walk.list.lastTotal ?? null,
    // Whole percents, rounded down; 100 only when the export is completed.
    percent: percentOf(state, total),
    // ISO 8601, while the export runs.
    expectedEndAt: expectedEnd(state, total, notBeforeMs, nowMs),
  };
}

/** A total below what has come is wrong or outdated: nothing can be measured by it. */
function usableTotal(state: ExportState): number | undefined {
  const lastTotal = state.walk.list.lastTotal;
  return lastTotal === undefined || lastTotal < state.counters.customers ? undefined : lastTotal;
}

function percentOf(state: ExportState, total: number | undefined): number | null {
  if (state.status === 'completed') return 100;
  if (total === undefined) return null;
  if (total === 0) return 0;
  return Math.min(MOST_BEFORE_THE_END, Math.floor((100 * state.counters.customers) / total));
}

/**
 * As fast as up to now on average, all waits included, and not before a wait that runs. Between two
 * commits nothing grows, so the time is rather too late than too early.
 */
function expectedEnd(
  state: ExportState,
  total: number | undefined,
  notBeforeMs: number,
  nowMs: number,
): string | null {
  const { customers } = state.counters;
  const elapsedMs = nowMs - state.startedAtMs;
  if (state.status !== 'running' || total === undefined || customers === 0 || elapsedMs <= 0) {
    return null;
  }
  const restMs = ((total - customers) * elapsedMs) / customers;
  const endMs = Math.max(nowMs, notBeforeMs) + restMs;
  return endMs > MAX_TIME_MS ? null : isoTime(endMs);
}
