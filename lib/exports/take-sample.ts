import type { Page } from '../customers-api/outcome.ts';
import type { PageAsk } from '../customers-api/walks/taken.ts';
import { defined } from '../defined.ts';
import {
  amid,
  LEAST_IN_COMMON,
  MADE_AT_MOST,
  type OrganizationSample,
  SAMPLED_LIST,
  sampleOf,
  spareIn,
  successor,
} from '../gate/organization-sample.ts';
import type { ExportState, SampleSoFar } from './export-state.ts';

type Search = NonNullable<SampleSoFar['search']>;
type Candidate = Search['candidates'][number];
type Asked = Pick<ExportState, 'plan' | 'end'>;

interface ReadPage {
  readonly ask: PageAsk | undefined;
  /**
   * Records of the list that are known in front of the page, see `rowsBefore`. `undefined`: rows that were read before are
   * read again, and show nothing of the place of any other.
   */
  readonly before: number | undefined;
  /** Records at the head of the page that may have been read before. */
  readonly again?: number;
  /** Records that show that nothing lies between the page and what was read before. */
  readonly shared?: number;
}

/** So far amid a list a page is deep enough also where an API makes more records than are expected. */
const DEEP = 3 * MADE_AT_MOST;
/** The texts of a page's records are made for these alone, and the state has to stay small. */
const MOST_CANDIDATES = 10;
/** Then another one is looked for: each hour some records are edited or move. */
const NEW_FOR_MS = 15 * 60_000;
/** So long nobody adds so many records in front of a page that those in front of it are taken for others behind it. */
const STILL_FOR_MS = 15 * 60_000;
/** Bits. Two records with the same one count as one: so a page is at worst taken for less deep than it is. */
const MARKS = 4_096;

/**
 * The state with what a page adds to the search for the sample of the organization, if the list shows whose it is: of a
 * page amid the list, whichever end was read first. What an API makes for each new organization stands at the ends. All
 * of the search is in the state, so it finds the same page in however many steps the list is read.
 */
export function takeSample(
  state: ExportState,
  page: Page,
  read: ReadPage,
  nowMs: number,
): ExportState {
  const { before, again = 0, shared = 0 } = read;
  if (state.list !== SAMPLED_LIST || before === undefined) return state;
  const opened = openSearch(state.sample, before, nowMs);
  if (opened === undefined) return state;
  const search = shared > 0 ? opened : withStill(opened, nowMs);
  const { marks, seen } = marked(search, page, again);
  const most = mostAround(page, before, search.from);
  const sample = mayBeDeepest(search, page, most)
    ? pageSample(state, page, read, nowMs)
    : undefined;
  const next = {
    ...{ from: search.from, marks, seen },
    leastTotal: Math.max(search.leastTotal, before + page.recordCount),
    candidates: [...search.candidates, ...(sample === undefined ? [] : [{ sample, most, seen }])],
  };
  const { found } = state.sample ?? {};
  const isOver = next.candidates.some((each) => depthOf(each, seen) === DEEP);
  const soFar = isOver
    ? { found: bestOf({ ...defined({ found }), search: next }, state) }
    : { found, search: withoutBeaten(next) };
  return { ...state, sample: defined(soFar) };
}

/** What is to be stored in the gate in place of `kept`, which is there. */
export function sampleToKeep(
  state: Asked & Pick<ExportState, 'sample'>,
  kept: OrganizationSample | undefined,
): OrganizationSample | undefined {
  if (state.sample === undefined) return undefined;
  const { leastTotal = 0 } = state.sample.search ?? {};
  const next = successor(bestOf(state.sample, state), kept, leastTotal);
  return next === undefined || isEqual(next, kept) ? undefined : next;
}

/** @returns `undefined` while the sample that was found is new. */
function openSearch(
  soFar: SampleSoFar | undefined,
  before: number,
  nowMs: number,
): Search | undefined {
  const { found, search } = soFar ?? {};
  const isNew = found !== undefined && nowMs - found.atMs < NEW_FOR_MS;
  if (search !== undefined || isNew) return search;
  // Of what lies in front of its first page it knows nothing: those records could come again behind another one.
  return { from: before, leastTotal: 0, seen: 0, marks: '', candidates: [] };
}

/** Each record once, by what its id is hashed to: edited or not, one that comes again is no other one. */
function marked(
  { marks, seen }: Search,
  { recordHashes }: Page,
  again: number,
): Pick<Search, 'marks' | 'seen'> {
  const bytes = Buffer.alloc(MARKS / 8);
  Buffer.from(marks, 'base64').copy(bytes);
  let others = 0;
  for (let at = 0; at < recordHashes.length; at += 2) {
    const place = (recordHashes[at + 1] ?? 0) % MARKS;
    const byte = bytes[place >> 3] ?? 0;
    const bit = 1 << (place & 7);
    if (at >= 2 * again && (byte & bit) === 0) others++;
    bytes[place >> 3] = byte | bit;
  }
  return { marks: bytes.toString('base64'), seen: seen + others };
}

/**
 * So many other records can be known on either side of the page at most. A total that is told with it says how many are
 * behind it, however many come there later, since others are added in front.
 */
function mostAround(page: Page, before: number, from: number): number {
  const rest = (totalOn(page, before) ?? Infinity) - before - page.recordCount;
  return Math.min(DEEP, Math.max(0, before - from), rest);
}

/** A total that is less than what came is not that of the list. */
function totalOn({ evidence: { total }, recordCount }: Page, before: number): number | undefined {
  return total !== undefined && total >= before + recordCount ? total : undefined;
}

/** Without a total, no page lies deeper after a while than it is known to. */
function withStill(search: Search, nowMs: number): Search {
  const candidates = search.candidates.map((each) => {
    const { total, atMs } = each.sample;
    const isStill = total !== undefined || nowMs - atMs < STILL_FOR_MS;
    return isStill ? each : { ...each, most: depthOf(each, search.seen) };
  });
  return { ...search, candidates };
}

/** Whether a page can come to lie deeper than each of those before it. */
function mayBeDeepest({ candidates, seen }: Search, page: Page, most: number): boolean {
  if (page.recordCount < LEAST_IN_COMMON || candidates.length >= MOST_CANDIDATES) return false;
  return candidates.every((each) => each.most < DEEP && depthOf(each, seen) < most);
}

function pageSample(
  { plan }: ExportState,
  page: Page,
  { ask, before = 0 }: ReadPage,
  nowMs: number,
): Candidate['sample'] | undefined {
  const { resource, query, perPage } = { ...plan, ...ask };
  const about = { resource, query, page: page.page, ...defined({ perPage }) };
  const {
    resource: _resource,
    query: _query,
    total: _told,
    ...sample
  } = sampleOf(about, page, nowMs);
  const total = totalOn(page, before);
  return sample.hashes.length < LEAST_IN_COMMON ? undefined : { ...sample, ...defined({ total }) };
}

/** Without the pages that one lies deeper than already than they ever can. */
function withoutBeaten(search: Search): Search {
  const { candidates, seen } = search;
  const isBeaten = ({ sample: { hashes }, most }: Candidate) =>
    candidates.some(
      (each) => depthOf(each, seen) > most && each.sample.hashes.length >= hashes.length,
    );
  return { ...search, candidates: candidates.filter((each) => !isBeaten(each)) };
}

/** That of which most records may change; of equal ones that which lies deepest, or was read last. */
function bestOf({ found, search }: SampleSoFar, state: Asked): OrganizationSample | undefined {
  if (search === undefined) return found;
  const [best] = search.candidates
    .map((each) => ({
      sample: sampleIn(each, search, state),
      depth: depthOf(each, search.seen),
    }))
    .toReversed()
    .toSorted((a, b) => spareIn(b.sample) - spareIn(a.sample) || b.depth - a.depth);
  return successor(best?.sample, found, search.leastTotal) ?? found;
}

/**
 * A total that is less than what came is not that of the list. One that is no more than the page has shows that it is the
 * whole list only once that is over.
 */
function sampleIn(
  { sample: { total, ...sample }, ...place }: Candidate,
  { seen, leastTotal }: Search,
  { plan, end }: Asked,
): OrganizationSample {
  const { resource, query } = plan;
  const isWhole = total === sample.hashes.length;
  const isTotal = total !== undefined && total >= leastTotal && (!isWhole || end !== undefined);
  const told = { ...sample, resource, query, ...(isTotal && { total }) };
  return amid(told, depthOf(place, seen));
}

/** So many records at least, and {@link DEEP} at most, are known on either side of the page. */
function depthOf({ most, seen: seenWith }: Pick<Candidate, 'most' | 'seen'>, seen: number): number {
  return Math.min(most, seen - seenWith);
}

function isEqual(a: OrganizationSample, b: OrganizationSample | undefined): boolean {
  const isSamePage = a.page === b?.page && a.atMs === b.atMs && a.total === b.total;
  return isSamePage && a.least === b.least && a.hashes.length === b.hashes.length;
}
