/**
 * What one answer says about its list. The specification names a `meta` block of counts and pages but
 * none of its members, so the usual names of real APIs are understood, and what is absent, of another
 * type or contradicted by a second block is left out.
 */
export interface ListEvidence {
  /** How many pages there are. */
  readonly totalPages?: number;
  /** How many records there are in all pages. */
  readonly total?: number;
  /** A count that could mean this page or the whole list; it never ends a list on its own. */
  readonly count?: number;
  /** The page that the server says this is. */
  readonly currentPage?: number;
  /** The page size that the server says it used. */
  readonly perPage?: number;
  /** The next page: its number, `some` for a link or cursor without one, `none` for an explicit null. */
  readonly nextPage?: number | 'some' | 'none';
  readonly hasMore?: boolean;
  /** The page before this one, in the same way. */
  readonly previousPage?: number | 'some' | 'none';
  /** What was found but not believed, each as a short sentence without values from records. */
  readonly warnings: readonly string[];
}

/** Evidence whose place a setting can name. */
export type EvidenceName = keyof Omit<ListEvidence, 'warnings'>;

/**
 * Where to find evidence: a path of member names from the body's root, joined by dots
 * (`meta.page_count`), or `false` not to believe what is found by name.
 */
export type MetaKeys = { readonly [Name in EvidenceName]?: string | false | undefined };

export const EVIDENCE_NAMES: readonly EvidenceName[] = [
  'totalPages',
  'total',
  'count',
  'currentPage',
  'perPage',
  'nextPage',
  'hasMore',
  'previousPage',
];

/** The usual member names of each kind of evidence, in lower case without `_` and `-`. */
const WORDS: Readonly<Record<EvidenceName, readonly string[]>> = {
  totalPages: [
    'totalpages',
    'pagecount',
    'pages',
    'lastpage',
    'numpages',
    'numberofpages',
    'pagestotal',
    'pagetotal',
    'totalpagecount',
  ],
  total: [
    'total',
    'totalcount',
    'totalitems',
    'totalrecords',
    'totalresults',
    'totalelements',
    'totalentries',
    'totalrows',
    'totalhits',
    'recordstotal',
    'itemstotal',
    'totaldocs',
    'hydra:totalitems',
    '@odata.count',
  ],
  count: ['count', 'itemcount', 'resultcount', 'recordcount'],
  currentPage: ['currentpage', 'page', 'pagenumber'],
  perPage: ['perpage', 'pagesize', 'itemsperpage', 'limit'],
  nextPage: ['nextpage', 'next', 'nextpageurl', 'nexturl', 'nextlink'],
  hasMore: ['hasmore', 'hasnext', 'hasnextpage', 'morerecords', 'moreresults'],
  previousPage: [
    'hasprevious',
    'hasprev',
    'haspreviouspage',
    'hasprevpage',
    'prevpage',
    'previouspage',
    'prev',
    'previous',
    'prevpageurl',
    'previouspageurl',
  ],
};

/** By the word of a member, see {@link wordOf}. */
export const EVIDENCE_OF: ReadonlyMap<string, EvidenceName> = new Map(
  EVIDENCE_NAMES.flatMap((name) => WORDS[name].map((word) => [word, name] as const)),
);

/** Words of blocks that hold evidence, and of envelopes around them. */
export const BLOCKS: ReadonlySet<string> = new Set([
  'meta',
  'pagination',
  'paging',
  'pageinfo',
  'paginator',
  'links',
  'page',
  'pager',
  'info',
  'data',
  'response',
  'result',
]);

/** Whether a member, wherever it is, can hold evidence. */
export function isEvidenceMember(name: string, word = wordOf(name)): boolean {
  // JSON:API and HAL write a link as an object with `href`.
  return EVIDENCE_OF.has(word) || BLOCKS.has(word) || name === 'href';
}

/** Lower case without `_` and `-`, so that `customer-groups`, `customer_groups` and `customerGroups` meet. */
export function wordOf(name: string): string {
  const word = name.toLowerCase();
  // Every name of an answer comes here, and most have neither.
  return word.includes('_') || word.includes('-') ? word.replace(/[_-]/g, '') : word;
}
