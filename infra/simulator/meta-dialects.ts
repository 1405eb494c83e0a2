export interface PageFacts {
  readonly resource: string;
  readonly page: number;
  /** As applied, after clamping. */
  readonly perPage: number;
  readonly firstPage: number;
  readonly total: number;
  readonly count: number;
  urlOf(page: number): string;
}

/** Stands in an envelope where the array of records goes. */
const RECORDS = '@records';

type Envelope = (facts: PageFacts) => unknown;

/** Counts and pages beside the records; every name is one shape found in real APIs. */
const ENVELOPES = {
  rails: (facts) => withMeta(facts, railsMeta(facts)),
  laravel: (facts) => ({
    data: RECORDS,
    links: linksOf(facts),
    meta: { ...laravelCounts(facts), path: facts.urlOf(facts.page).split('?')[0] },
  }),
  'laravel-flat': (facts) => {
    const { first, prev, next, last } = linksOf(facts);
    return {
      ...laravelCounts(facts),
      data: RECORDS,
      first_page_url: first,
      prev_page_url: prev,
      next_page_url: next,
      last_page_url: last,
    };
  },
  nested: (facts) =>
    withMeta(facts, {
      pagination: {
        page: facts.page,
        per_page: facts.perPage,
        pages: pagesOf(facts),
        total: facts.total,
        has_more: hasMore(facts),
      },
    }),
  'has-more': (facts) => withMeta(facts, { page: facts.page, has_more: hasMore(facts) }),
  'total-only': (facts) => withMeta(facts, { total: facts.total }),
  'pages-only': (facts) => withMeta(facts, { pages: pagesOf(facts) }),
  links: (facts) => withMeta(facts, { links: withoutNull(linksOf(facts)) }),
  spree: (facts) => ({
    data: RECORDS,
    meta: { count: facts.count, total_count: facts.total, total_pages: pagesOf(facts) },
    // Always there, also on the last page and on those past it.
    links: { ...linksOf(facts), next: facts.urlOf(facts.page + 1) },
  }),
  'count-page': (facts) => withMeta(facts, { count: facts.count }),
  'count-all': (facts) => withMeta(facts, { count: facts.total }),
  'data-key': (facts) => ({ data: RECORDS, meta: railsMeta(facts) }),
  bare: () => RECORDS,
  none: (facts) => ({ [facts.resource]: RECORDS }),
} as const satisfies Readonly<Record<string, Envelope>>;

export type MetaDialect = keyof typeof ENVELOPES;

export const META_DIALECTS = Object.keys(ENVELOPES).filter((name) => isDialect(name));

function isDialect(name: string): name is MetaDialect {
  return Object.hasOwn(ENVELOPES, name);
}

/** The body of a page; `records` are JSON texts and appear in it unchanged. */
export function pageJson(
  dialect: MetaDialect,
  facts: PageFacts,
  records: readonly string[],
): string {
  const envelope = JSON.stringify(ENVELOPES[dialect](facts));
  return envelope.split(`"${RECORDS}"`).join(`[${records.join(',')}]`);
}

/** The last page that holds records; the first one when there are none. */
export function lastPageOf(facts: Pick<PageFacts, 'total' | 'perPage' | 'firstPage'>): number {
  return facts.firstPage + Math.max(1, Math.ceil(facts.total / facts.perPage)) - 1;
}

function withMeta(facts: PageFacts, meta: unknown): unknown {
  return { [facts.resource]: RECORDS, meta };
}

function railsMeta(facts: PageFacts): unknown {
  return {
    current_page: facts.page,
    next_page: hasMore(facts) ? facts.page + 1 : null,
    prev_page: facts.page > facts.firstPage ? facts.page - 1 : null,
    total_pages: pagesOf(facts),
    total_count: facts.total,
  };
}

function laravelCounts(facts: PageFacts) {
  const offset = (facts.page - facts.firstPage) * facts.perPage;
  return {
    current_page: facts.page,
    from: facts.count === 0 ? null : offset + 1,
    to: facts.count === 0 ? null : offset + facts.count,
    last_page: lastPageOf(facts),
    per_page: facts.perPage,
    total: facts.total,
  };
}

function linksOf(facts: PageFacts) {
  return {
    first: facts.urlOf(facts.firstPage),
    prev: facts.page > facts.firstPage ? facts.urlOf(facts.page - 1) : null,
    next: hasMore(facts) ? facts.urlOf(facts.page + 1) : null,
    last: facts.urlOf(lastPageOf(facts)),
  };
}

/** JSON:API leaves links that lead nowhere out or writes null; this shape leaves `next` out. */
function withoutNull(links: ReturnType<typeof linksOf>): unknown {
  return Object.fromEntries(Object.entries(links).filter(([, url]) => url !== null));
}

function pagesOf(facts: PageFacts): number {
  return Math.ceil(facts.total / facts.perPage);
}

function hasMore(facts: PageFacts): boolean {
  return facts.page < lastPageOf(facts);
}
