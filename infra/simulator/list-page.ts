import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';
import { prettyJson } from './json-text.ts';
import { lastPageOf, pageJson } from './meta-dialects.ts';
import type { SimulatorSettings } from './options.ts';
import type { RecordList, Selected } from './record-list.ts';
import { type ResourceName, selectionOf } from './resources.ts';

export interface ListRequest {
  readonly resource: ResourceName;
  /** Absolute address of the list, without query. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly fault: FaultKind | undefined;
}

/** Over this size all pages of a list are forgotten. */
const CACHE_BYTES = 256 * 2 ** 20;

export function listPage(
  list: RecordList,
  settings: SimulatorSettings,
  request: ListRequest,
): Answer {
  const { firstPage } = settings;
  const { resource, query, fault } = request;
  const asked = integerOf(query.get('page'), firstPage);
  const perPage = integerOf(query.get('per_page'), settings.perPage);
  if (asked === undefined || asked < firstPage) return badParameter('page', integerFrom(firstPage));
  if (perPage === undefined || perPage < 1) return badParameter('per_page', integerFrom(1));
  const selected = selectionOf(resource, query.get('status') ?? undefined);
  if ('expected' in selected)
    return badParameter('status', `one of ${selected.expected.join(', ')}`);
  const applied = query.has('per_page')
    ? appliedPerPage(perPage, settings, fault)
    : Math.min(perPage, settings.maxPerPage);
  if (applied === undefined) {
    return badParameter('per_page', `one of ${settings.perPageSizes.join(', ')}`);
  }
  const isHalf = fault?.kind === 'half-list';
  const all = list.select(selected.selection);
  const records = isHalf ? firstHalfOf(all) : all;
  const lastPage = lastPageOf({ total: records.size, perPage: applied, firstPage });
  if (asked > lastPage && fault?.kind === 'past-end-status') {
    return errorAnswer(fault.status, 'page_out_of_range', `The last page is ${lastPage}.`);
  }
  const repeated = fault?.kind === 'repeat-last-page' ? Math.min(asked, lastPage) : asked;
  const page = fault?.kind === 'ignore-page' ? firstPage : repeated;
  const recordsOf = pageOfRecords(fault, page, firstPage);
  const name = `${page} ${recordsOf} ${applied} ${isHalf} ${query.get('status') ?? ''}`;
  const body =
    list.pages.get(name) ??
    Buffer.from(bodyOf(records, settings, request, { page, recordsOf, perPage: applied }));
  if (list.pages.size * body.length > CACHE_BYTES) list.pages.clear();
  list.pages.set(name, body);
  return jsonAnswer(200, body);
}

/** The size of the pages; undefined when this one is refused. */
function appliedPerPage(
  asked: number,
  { perPage, maxPerPage, perPageRule, perPageSizes }: SimulatorSettings,
  fault: FaultKind | undefined,
): number | undefined {
  if (fault?.kind === 'clamp-per-page') return Math.min(asked, fault.perPage);
  switch (perPageRule) {
    case 'any':
      return Math.min(asked, maxPerPage);
    case 'fixed':
      return perPage;
    case 'listed': {
      const fitting = perPageSizes.filter((size) => size <= asked);
      return fitting.length > 0 ? Math.max(...fitting) : Math.min(...perPageSizes);
    }
    case 'refuse-unlisted':
      return perPageSizes.includes(asked) ? asked : undefined;
  }
}

function firstHalfOf(records: Selected): Selected {
  const size = Math.floor(records.size / 2);
  return {
    size,
    slice: (from, to = size) => records.slice(Math.min(from, size), Math.min(to, size)),
  };
}

/** The page whose records come under the number `page`. */
function pageOfRecords(fault: FaultKind | undefined, page: number, firstPage: number): number {
  if (fault?.kind === 'repeat-page') return fault.of;
  return fault?.kind === 'cycle-pages' ? firstPage + ((page - firstPage) % fault.length) : page;
}

interface PageParts {
  readonly page: number;
  readonly recordsOf: number;
  readonly perPage: number;
}

function bodyOf(
  selected: Selected,
  { firstPage, meta, pretty }: SimulatorSettings,
  { resource, url, query }: ListRequest,
  { page, recordsOf, perPage }: PageParts,
): string {
  const offset = (recordsOf - firstPage) * perPage;
  const inOrder = selected.slice(offset, offset + perPage);
  const records = recordsOf === page ? inOrder : inOrder.toReversed();
  const counts = { page, perPage, firstPage, total: selected.size, count: records.length };
  const status = query.get('status');
  const constant = status === null ? '' : `status=${encodeURIComponent(status)}&`;
  const urlOf = (other: number) => `${url}?${constant}page=${other}&per_page=${perPage}`;
  const json = pageJson(meta, { resource, ...counts, urlOf }, records);
  return pretty ? `${prettyJson(json)}\n` : json;
}

/** Digits as a safe integer; `fallback` when absent; undefined for anything else. */
export function integerOf(text: string | null, fallback: number): number | undefined {
  if (text === null) return fallback;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

function integerFrom(minimum: number): string {
  return `an integer of at least ${minimum}`;
}

function badParameter(name: string, expected: string): Answer {
  return errorAnswer(422, 'invalid_parameter', `${name}: expected ${expected}.`);
}
