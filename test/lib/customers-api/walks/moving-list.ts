import { learnIdKey } from '../../../../lib/customers-api/learn-id-key.ts';
import type { Page } from '../../../../lib/customers-api/outcome.ts';
import { hashRecords } from '../../../../lib/customers-api/record-hashes.ts';

/** Where records stand, and what an edit does to their place. */
export interface ListRule {
  /** Ids by position at the start: rising, falling, or in no order. */
  readonly first: 'rising' | 'falling' | 'scattered';
  readonly inserts: 'first' | 'last' | 'anywhere';
  readonly edits: 'stay' | 'first' | 'last' | 'anywhere';
  /** Whether the records show when they were made or last edited. */
  readonly shows?: 'created' | 'edited';
  /** How many changes have the same time, as they do by the second or the day; such records are in order of their ids. */
  readonly changesATime?: number;
  /** Whether each answer has an order of its own. */
  readonly isShuffled?: boolean;
}

export interface Mix {
  readonly inserts: number;
  readonly deletes: number;
  readonly edits: number;
  /** Share of requests after which many changes of one kind come at once. */
  readonly bursts?: number;
}

/** A number with fewer digits is no time. */
const SINCE = 1_764_000_000;

interface Row {
  readonly id: number;
  edits: number;
  time: number;
}

/** What a walk sees of a list, and what it must have read of it. */
export interface ReadableList {
  readonly length: number;
  /** Ids that were there from the start, and still are. */
  readonly throughout: ReadonlySet<number>;
  /** Called behind each answer. */
  change(mix: Mix): void;
  /** Rows `start` to `end`, as JSON. */
  slice(start: number, end: number): readonly string[];
}

/** A list that changes while it is read, in memory. */
export class MovingList implements ReadableList {
  readonly #rule: ListRule;
  readonly #random: () => number;
  #rows: Row[];
  #nextId: number;
  #now: number;
  readonly throughout: Set<number>;

  constructor(rule: ListRule, count: number, random: () => number) {
    this.#rule = rule;
    this.#random = random;
    this.#nextId = count + 1;
    this.#now = count;
    const ids = Array.from({ length: count }, (_, at) => at + 1);
    if (rule.first === 'falling') ids.reverse();
    if (rule.first === 'scattered') shuffle(ids, random);
    const isNewestFirst = rule.inserts === 'first';
    this.#rows = ids.map((id, at) => ({ id, edits: 0, time: isNewestFirst ? count - at : at }));
    this.#sortTimes();
    this.throughout = new Set(ids);
  }

  get length(): number {
    return this.#rows.length;
  }

  change({ inserts, deletes, edits, bursts = 0 }: Mix): void {
    if (this.#random() < bursts) {
      this.#burst();
      return;
    }
    for (let n = this.#drawn(inserts); n > 0; n--) this.#insert();
    for (let n = this.#drawn(deletes); n > 0; n--) this.#delete();
    for (let n = this.#drawn(edits); n > 0; n--) this.#edit();
  }

  slice(start: number, end: number): readonly string[] {
    const rows = this.#rule.isShuffled
      ? shuffle([...this.#rows], this.#random).slice(start, end)
      : this.#rows.slice(start, end);
    return rows.map((row) => this.#textOf(row));
  }

  #burst(): void {
    const kind = Math.floor(this.#random() * 3);
    for (let n = 20 + Math.floor(this.#random() * 200); n > 0; n--) {
      if (kind === 0) this.#insert();
      else if (kind === 1) this.#delete();
      else this.#edit();
    }
  }

  #drawn(rate: number): number {
    return Math.floor(rate) + (this.#random() < rate % 1 ? 1 : 0);
  }

  #insert(): void {
    this.#put({ id: this.#nextId++, edits: 0, time: ++this.#now }, this.#rule.inserts);
  }

  #delete(): void {
    const [row] = this.#rows.splice(this.#at(), 1);
    if (row !== undefined) this.throughout.delete(row.id);
  }

  #edit(): void {
    const at = this.#at();
    const row = this.#rows[at];
    if (row === undefined) return;
    row.edits++;
    if (this.#rule.edits === 'stay') return;
    this.#rows.splice(at, 1);
    row.time = ++this.#now;
    this.#put(row, this.#rule.edits);
  }

  #put(row: Row, place: 'first' | 'last' | 'anywhere'): void {
    const last = this.#rows.length;
    const at = { first: 0, last, anywhere: Math.floor(this.#random() * (last + 1)) }[place];
    this.#rows.splice(at, 0, row);
    this.#sortTimes();
  }

  #sortTimes(): void {
    const { changesATime, inserts } = this.#rule;
    if (changesATime === undefined) return;
    const sign = inserts === 'first' ? -1 : 1;
    const timeOf = (row: Row) => sign * this.#shownTime(row);
    this.#rows.sort((one, other) => timeOf(one) - timeOf(other) || one.id - other.id);
  }

  #shownTime({ time }: Row): number {
    return Math.floor(time / (this.#rule.changesATime ?? 1));
  }

  #at(): number {
    return Math.floor(this.#random() * this.#rows.length);
  }

  #textOf(row: Row): string {
    const { id, edits } = row;
    const { shows } = this.#rule;
    const at = shows === undefined ? '' : `,"${shows}_at":${SINCE + this.#shownTime(row)}`;
    return `{"id":${id},"edits":${edits}${at}}`;
  }
}

/** How a server answers. */
export interface ServerRule {
  readonly perPage: 'any' | 'fixed' | 'listed' | 'refuse-unlisted';
  readonly largest: number;
  /** What it says beside the records. */
  readonly says: 'all' | 'total' | 'pages' | 'more' | 'link' | 'nothing';
}

const SIZES = [10, 25, 50, 100];

export function answerOf(
  list: ReadableList,
  rule: ServerRule,
  ask: { readonly page: number; readonly perPage?: number; readonly idKey?: string },
): Page | number {
  const size = sizeOf(rule, ask.perPage);
  if (size === undefined) return 422;
  const start = (ask.page - 1) * size;
  const evidence = evidenceOf(list.length, size, ask.page, rule);
  return pageOf(list.slice(start, start + size), ask.page, evidence, ask.idKey);
}

/** @param evidence Besides it the first page says that none is before it, so that nobody asks for one. */
export function pageOf(
  records: readonly string[],
  page: number,
  evidence: Omit<Page['evidence'], 'warnings'> = {},
  idKey?: string,
): Page {
  const ndjson = Buffer.from(records.length === 0 ? '' : `${records.join('\n')}\n`);
  const { hashes: recordHashes, ...hashed } =
    idKey === undefined
      ? learnIdKey(ndjson, records.length, 'customers')
      : { idKey, ...hashRecords(ndjson, records.length, idKey) };
  return {
    kind: 'page',
    page,
    records,
    ids: [],
    recordCount: records.length,
    ndjson,
    ...hashed,
    recordHashes,
    meta: undefined,
    metaText: undefined,
    evidence: { ...(page === 1 && { previousPage: 'none' }), ...evidence, warnings: [] },
  };
}

function sizeOf({ perPage, largest }: ServerRule, asked = largest): number | undefined {
  if (perPage === 'fixed') return largest;
  if (perPage === 'any') return Math.min(asked, largest);
  const sizes = SIZES.filter((size) => size <= largest);
  if (sizes.includes(asked)) return asked;
  if (perPage === 'refuse-unlisted') return undefined;
  return sizes.findLast((size) => size <= asked) ?? sizes[0];
}

function evidenceOf(total: number, perPage: number, page: number, { says }: ServerRule) {
  const totalPages = Math.ceil(total / perPage);
  const hasMore = page < totalPages;
  switch (says) {
    case 'all':
      return { total, totalPages, currentPage: page, perPage };
    case 'total':
      return { total };
    case 'pages':
      return { totalPages };
    case 'more':
      return { hasMore };
    case 'link':
      return { total, totalPages, nextPage: 'some' as const };
    case 'nothing':
      return {};
  }
}

function shuffle<T>(values: T[], random: () => number): T[] {
  for (let at = values.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    const value = values[at];
    const swapped = values[other];
    if (value === undefined || swapped === undefined) continue;
    values[at] = swapped;
    values[other] = value;
  }
  return values;
}
