import type { WalkDecision } from '../customers-api/list-walk.ts';
import type { Page } from '../customers-api/outcome.ts';
import type { ListWalk } from '../customers-api/walk-state.ts';
import { defined } from '../defined.ts';
import type { ExportState, ListWarning } from './export-state.ts';

/**
 * Longest `meta` text to keep: the item must stay far below DynamoDB's limit of 400 KB, and a block of counts
 * and pages has some hundred bytes.
 */
const MAX_META_CHARACTERS = 8_192;

/** More kinds of warnings do not help a person, and the ledger item must stay small. */
const MAX_WARNINGS = 20;
/** Enough for the path of any member of the evidence. */
const MAX_WARNING_CHARACTERS = 300;

/** The state after a page whose records belong to the list. */
export function takePage(state: ExportState, page: Page, walk: ListWalk): ExportState {
  const { counters, inRow } = state;
  const firstTotal = state.firstTotal ?? page.evidence.total;
  return {
    ...withMeta(state, page),
    ...withWarnings(state, page),
    walk,
    idKeys: state.idKeys.includes(page.idKey) ? state.idKeys : [...state.idKeys, page.idKey],
    counters: {
      ...counters,
      pages: counters.pages + 1,
      customers: counters.customers + page.recordCount,
      bytes: counters.bytes + page.ndjson.length,
    },
    inRow: { ...inRow, failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
    ...defined({ firstTotal }),
  };
}

export function endList(
  state: ExportState,
  decision: Extract<WalkDecision, { kind: 'end' }>,
  nowMs: number,
): ExportState {
  const { rules, contradictions, outweighed } = decision;
  const end = { atMs: nowMs, rules, contradictions, ...defined({ outweighed }) };
  return { ...state, end };
}

/**
 * The last page according to the latest answer, so that no later page is requested ahead. This is a guess;
 * `advanceWalk` decides where the list ends.
 */
export function lastPageHint(walk: ListWalk, page: Page): number | undefined {
  const { totalPages, total } = page.evidence;
  if (totalPages !== undefined) return walk.firstPage + totalPages - 1;
  if (total === undefined || walk.largestPageRecords === 0) return undefined;
  return walk.firstPage + Math.ceil(total / walk.largestPageRecords) - 1;
}

function withMeta(state: ExportState, page: Page): ExportState {
  const text = page.metaText;
  if (text === undefined || text.length > MAX_META_CHARACTERS) return state;
  const isFirst = state.counters.pages === 0;
  return { ...state, lastMetaText: text, ...(isFirst ? { firstMetaText: text } : {}) };
}

function withWarnings(state: ExportState, page: Page): { readonly warnings?: ListWarning[] } {
  if (page.evidence.warnings.length === 0) return {};
  const pagesOf = new Map(state.warnings?.map(({ message, pages }) => [message, pages]));
  for (const warning of new Set(page.evidence.warnings)) {
    const message = warning.slice(0, MAX_WARNING_CHARACTERS);
    if (!pagesOf.has(message) && pagesOf.size === MAX_WARNINGS) continue;
    pagesOf.set(message, (pagesOf.get(message) ?? 0) + 1);
  }
  return { warnings: [...pagesOf].map(([message, pages]) => ({ message, pages })) };
}
