import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import type { FaultKind } from './faults.ts';
import { prettyJson } from './json-text.ts';
import { lastPageOf, type MetaDialect, pageJson } from './meta-dialects.ts';
import type { RecordList } from './record-list.ts';

export interface ListRules {
  readonly meta: MetaDialect;
  readonly perPage: number;
  readonly maxPerPage: number;
  readonly firstPage: 0 | 1;
  readonly pretty: boolean;
}

export interface ListRequest {
  readonly resource: string;
  /** Absolute address of the list, without query. */
  readonly url: string;
  readonly query: URLSearchParams;
  readonly fault: FaultKind | undefined;
}

/** Over this size all pages are forgotten; a list of 100,000 customers takes about 60 MB. */
const CACHE_BYTES = 256 * 2 ** 20;

/** Answers pages of one list, remembering their bytes until the list changes. */
export class ListPages {
  readonly #list: RecordList;
  readonly #rules: ListRules;
  readonly #bodies = new Map<string, Buffer>();
  #bytes = 0;
  #revision = 0;

  constructor(list: RecordList, rules: ListRules) {
    this.#list = list;
    this.#rules = rules;
  }

  answer(request: ListRequest): Answer {
    const { firstPage, maxPerPage } = this.#rules;
    const page = integerOf(request.query.get('page'), firstPage);
    const perPage = integerOf(request.query.get('per_page'), this.#rules.perPage);
    if (page === undefined || page < firstPage) return badParameter('page', firstPage);
    if (perPage === undefined || perPage < 1) return badParameter('per_page', 1);
    const { fault } = request;
    const cap = fault?.kind === 'clamp-per-page' ? fault.perPage : maxPerPage;
    const applied = Math.min(perPage, cap);
    const lastPage = lastPageOf({ total: this.#list.size, perPage: applied, firstPage });
    if (page > lastPage && fault?.kind === 'past-end-status') {
      return errorAnswer(fault.status, 'page_out_of_range', `The last page is ${lastPage}.`);
    }
    return jsonAnswer(200, this.#body(request, this.#servedPage(page, lastPage, fault), applied));
  }

  #servedPage(page: number, lastPage: number, fault: FaultKind | undefined): number {
    if (fault?.kind === 'ignore-page') return this.#rules.firstPage;
    return fault?.kind === 'repeat-last-page' ? Math.min(page, lastPage) : page;
  }

  #body(request: ListRequest, page: number, perPage: number): Buffer {
    if (this.#revision !== this.#list.revision || this.#bytes > CACHE_BYTES) {
      this.#bodies.clear();
      this.#bytes = 0;
      this.#revision = this.#list.revision;
    }
    const name = `${page} ${perPage}`;
    const known = this.#bodies.get(name);
    if (known !== undefined) return known;
    const body = Buffer.from(this.#json(request, page, perPage));
    this.#bodies.set(name, body);
    this.#bytes += body.length;
    return body;
  }

  #json({ resource, url }: ListRequest, page: number, perPage: number): string {
    const { firstPage, meta, pretty } = this.#rules;
    const offset = (page - firstPage) * perPage;
    const records = this.#list.slice(offset, offset + perPage);
    const facts = {
      resource,
      page,
      perPage,
      firstPage,
      total: this.#list.size,
      count: records.length,
      urlOf: (other: number) => `${url}?page=${other}&per_page=${perPage}`,
    };
    const json = pageJson(meta, facts, records);
    return pretty ? `${prettyJson(json)}\n` : json;
  }
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
