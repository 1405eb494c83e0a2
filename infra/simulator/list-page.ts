import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';
import { prettyJson } from './json-text.ts';
import { lastPageOf, pageJson } from './meta-dialects.ts';
import type { SimulatorSettings } from './options.ts';
import type { RecordList } from './record-list.ts';

export interface ListRequest {
  readonly resource: string;
  /** Absolute address of the list, without query. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly fault: FaultKind | undefined;
}

/** Over this size all pages of a list are forgotten. */
const CACHE_BYTES = 256 * 2 ** 20;

/** Answers a request for a page of a list. */
export function listPage(
  list: RecordList,
  settings: SimulatorSettings,
  request: ListRequest,
): Answer {
  const { firstPage, maxPerPage } = settings;
  const { query, fault } = request;
  const asked = integerOf(query.get('page'), firstPage);
  const perPage = integerOf(query.get('per_page'), settings.perPage);
  if (asked === undefined || asked < firstPage) return badParameter('page', firstPage);
  if (perPage === undefined || perPage < 1) return badParameter('per_page', 1);
  const cap = fault?.kind === 'clamp-per-page' ? fault.perPage : maxPerPage;
  const applied = Math.min(perPage, cap);
  const lastPage = lastPageOf({ total: list.size, perPage: applied, firstPage });
  if (asked > lastPage && fault?.kind === 'past-end-status') {
    return errorAnswer(fault.status, 'page_out_of_range', `The last page is ${lastPage}.`);
  }
  const repeated = fault?.kind === 'repeat-last-page' ? Math.min(asked, lastPage) : asked;
  const page = fault?.kind === 'ignore-page' ? firstPage : repeated;
  const recordsOf = pageOfRecords(fault, page, firstPage);
  const name = `${page} ${recordsOf} ${applied}`;
  const body =
    list.pages.get(name) ??
    Buffer.from(bodyOf(list, settings, request, { page, recordsOf, perPage: applied }));
  if (list.pages.size * body.length > CACHE_BYTES) list.pages.clear();
  list.pages.set(name, body);
  return jsonAnswer(200, body);
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
  list: RecordList,
  { firstPage, meta, pretty }: SimulatorSettings,
  { resource, url }: ListRequest,
  { page, recordsOf, perPage }: PageParts,
): string {
  const offset = (recordsOf - firstPage) * perPage;
  const inOrder = list.slice(offset, offset + perPage);
  const records = recordsOf === page ? inOrder : inOrder.toReversed();
  const counts = { page, perPage, firstPage, total: list.size, count: records.length };
  const urlOf = (other: number) => `${url}?page=${other}&per_page=${perPage}`;
  const json = pageJson(meta, { resource, ...counts, urlOf }, records);
  return pretty ? `${prettyJson(json)}\n` : json;
}

/** Digits as a safe integer; `fallback` when absent; undefined for anything else. */
export function integerOf(text: string | null, fallback: number): number | undefined {
  if (text === null) return fallback;
  const value = /^-?\d+$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : undefined;
}

function badParameter(name: string, minimum: number): Answer {
  const message = `${name}: expected an integer of at least ${minimum}.`;
  return errorAnswer(422, 'invalid_parameter', message);
}
