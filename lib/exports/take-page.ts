import type { Page } from '../customers-api/outcome.ts';
import type { PageAsk, WalkEnd } from '../customers-api/walks/taken.ts';
import type { Walk } from '../customers-api/walks/walker.ts';
import { defined } from '../defined.ts';
import { type ExportState, type ListWarning, NOTHING_IN_ROW } from './export-state.ts';
import type { FetchTally } from './fetch-pages.ts';
import type { PartWriter } from './part.ts';

/**
 * Longest `meta` text to keep: the item must stay far below DynamoDB's limit of 400 KB, and a block of counts
 * and pages has some hundred bytes.
 */
const MAX_META_CHARACTERS = 8_192;

/** More kinds of warnings do not help a person, and the ledger item must stay small. */
const MAX_WARNINGS = 20;
/** Enough for the path of any member of the evidence. */
const MAX_WARNING_CHARACTERS = 300;

/** So many show where it happened; the proof has the number of all. */
const MAX_DROPPED = 200;

/** The latest ones; an export that lasts a day meets one or two. */
const MAX_KEY_VERSIONS = 100;

/** The state after a page whose records belong to the list. */
export function takePage(
  state: ExportState,
  page: Page,
  walk: Walk,
  kept: Pick<PartWriter, 'records' | 'bytes'>,
): ExportState {
  const { counters } = state;
  const firstTotal = state.firstTotal ?? page.evidence.total;
  return {
    ...withMeta(state, page),
    ...withWarnings(state, page),
    walk,
    counters: {
      ...counters,
      pages: counters.pages + 1,
      customers: counters.customers + kept.records,
      bytes: counters.bytes + kept.bytes,
    },
    inRow: NOTHING_IN_ROW,
    ...defined({ firstTotal }),
  };
}

/** The state after an answer of which nothing is stored. */
export function dropPage(state: ExportState, { page, perPage }: PageAsk, walk: Walk): ExportState {
  const dropped = [...(state.dropped ?? []), { page, ...defined({ perPage }) }];
  return {
    ...state,
    walk,
    dropped: dropped.slice(0, MAX_DROPPED),
    inRow: answeredInRow(state),
  };
}

/** The state after a page that is taken later, or asked for again if this step ends before. */
export function holdPage(state: ExportState, walk: Walk): ExportState {
  return { ...state, walk, inRow: answeredInRow(state) };
}

function answeredInRow({ inRow }: ExportState): ExportState['inRow'] {
  return { ...inRow, failures: 0, blindThrottles: 0 };
}

export function endList(state: ExportState, ended: WalkEnd, nowMs: number): ExportState {
  const { rules, contradictions, outweighed, proof } = ended;
  const end = { atMs: nowMs, rules, contradictions, proof, ...defined({ outweighed }) };
  return { ...state, end };
}

/** Counts the requests of a step: `claimed` has those before it. */
export function withRequests(
  state: ExportState,
  { counters }: ExportState,
  { requests, throttles, waitedSeconds }: FetchTally,
  lastRequestAtMs: number,
): ExportState {
  return {
    ...state,
    lastRequestAtMs,
    counters: {
      ...state.counters,
      requests: counters.requests + requests,
      throttles: counters.throttles + throttles,
      waitedSeconds: counters.waitedSeconds + waitedSeconds,
    },
  };
}

/** With the key and the organization of the step that begins. */
export function noteKey(
  state: ExportState,
  keyVersion: string,
  organizationId: string,
): ExportState {
  // Keys of another organization brought no page, or the export would have ended.
  const keyVersions = state.organizationId === organizationId ? state.keyVersions : [];
  const isNew = !keyVersions.includes(keyVersion);
  return {
    ...state,
    organizationId,
    keyVersions: isNew ? [...keyVersions, keyVersion].slice(-MAX_KEY_VERSIONS) : keyVersions,
  };
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
