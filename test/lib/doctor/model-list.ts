/** What a client asks for; `undefined`: not sent. */
export interface ListQuestion {
  readonly page: number | undefined;
  readonly perPage: number | undefined;
}

export interface ListAnswer {
  readonly status: number;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** What a page can say about itself. */
export interface PageFacts {
  /** As applied: of an API that counts from 0 the first page is 0. */
  readonly page: number;
  readonly perPage: number;
  readonly total: number;
  /** Records on this page. */
  readonly count: number;
  readonly pages: number;
  readonly hasMore: boolean;
  urlOf(page: number): string;
}

export interface ModelOptions {
  /** How the body is written. */
  readonly body: (records: string, facts: PageFacts) => string;
  /** @default 950 */
  readonly total?: number;
  /** @default 1 */
  readonly firstPage?: 0 | 1;
  /** Records a page when the client does not say. @default 25 */
  readonly perPage?: number;
  /** A larger size is lowered. @default 100 */
  readonly maxPerPage?: number;
  /**
   * `any` up to the largest; `fixed`: the default always; `listed`: one of 10, 25, 50, 100, others are lowered;
   * `refuse`: 422 above the largest; `refuse-unlisted`: 422 for all but 10, 25, 50, 100.
   * @default 'any'
   */
  readonly sizes?: 'any' | 'fixed' | 'listed' | 'refuse' | 'refuse-unlisted';
  /** What comes behind the end. @default 'empty' */
  readonly pastEnd?: 'empty' | 'last' | 'first' | number;
  /** What page 0 is where pages are counted from 1. @default the first page */
  readonly pageZero?: 'first' | 'empty' | 'all' | number;
  /** Parameters that are known at all. @default both */
  readonly knows?: 'both' | 'per_page' | 'nothing';
  /** Order of the records, and what they have. @default rising ids */
  readonly record?: (position: number, total: number) => string;
  readonly headers?: (facts: PageFacts) => Readonly<Record<string, string>>;
}

const LISTED = [10, 25, 50, 100];

/** A list of an API that stands still. */
export class ModelList {
  readonly records: readonly string[];
  readonly #options: ModelOptions;

  constructor(options: ModelOptions) {
    this.#options = options;
    const { total = 950, record = risingRecord } = options;
    this.records = Array.from({ length: total }, (_, position) => record(position, total));
  }

  answer(question: ListQuestion): ListAnswer {
    const {
      body,
      firstPage = 1,
      knows = 'both',
      pageZero = 'first',
      pastEnd = 'empty',
    } = this.#options;
    const perPage = this.#applied(knows === 'nothing' ? undefined : question.perPage);
    if (perPage === undefined) return refused(422);
    const total = this.records.length;
    const pages = Math.ceil(total / perPage);
    const last = firstPage + Math.max(1, pages) - 1;
    let page = knows === 'both' ? (question.page ?? firstPage) : firstPage;
    let size = perPage;
    if (page < firstPage) {
      if (typeof pageZero === 'number') return refused(pageZero);
      if (pageZero === 'empty') size = 0;
      if (pageZero === 'all') size = total;
      page = firstPage;
    }
    if (page > last) {
      if (typeof pastEnd === 'number') return refused(pastEnd);
      if (pastEnd === 'last') page = last;
      if (pastEnd === 'first') page = firstPage;
    }
    const start = (page - firstPage) * perPage;
    const records = this.records.slice(start, start + size);
    const facts: PageFacts = {
      page,
      perPage,
      total,
      count: records.length,
      pages,
      hasMore: page < last,
      urlOf: (other) => `https://api.example.com/2.0/customers?page=${other}&per_page=${perPage}`,
    };
    const headers = this.#options.headers?.(facts) ?? {};
    return { status: 200, body: body(`[${records.join(',')}]`, facts), headers };
  }

  #applied(asked: number | undefined): number | undefined {
    const { perPage = 25, maxPerPage = 100, sizes = 'any' } = this.#options;
    if (asked === undefined || sizes === 'fixed') return perPage;
    switch (sizes) {
      case 'any':
        return Math.min(asked, maxPerPage);
      case 'refuse':
        return asked > maxPerPage ? undefined : asked;
      case 'refuse-unlisted':
        return LISTED.includes(asked) && asked <= maxPerPage ? asked : undefined;
      case 'listed':
        return LISTED.findLast((size) => size <= asked && size <= maxPerPage) ?? 10;
    }
  }
}

export function risingRecord(position: number): string {
  return `{"id":${9_007_199_254_740_993n + BigInt(position)},"name":"Customer ${position}","balance":1.10}`;
}

/** Every position once, in no order. */
export function scattered(position: number, total: number): number {
  let stride = Math.floor(total * 0.618) || 1;
  while (gcd(stride, total) > 1) stride += 1;
  return (position * stride) % total;
}

function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

function refused(status: number): ListAnswer {
  return { status, body: '{"error":{"code":"invalid_parameter"}}' };
}
