import { hash } from 'node:crypto';
import * as v from 'valibot';
import type { Page } from '../customers-api/outcome.ts';
import { defined } from '../defined.ts';
import { recordOf } from '../record-of.ts';
import { count, maybe, type Stored, text, timeMs } from '../stored.ts';

/**
 * The only list whose records show which organization it is: of others, such as currencies, every organization may
 * have the same records.
 */
export const SAMPLED_LIST = 'customers';

/**
 * An API may make so many records for each new organization, the same ones for all: its oldest, so they stand at the
 * beginning of the list or at its end. In common they show nothing.
 */
export const MADE_AT_MOST = 20;

/** Of records that no API makes, or of a whole list. */
export const LEAST_IN_COMMON = 4;

/** Some records of one page of `SAMPLED_LIST`, as received, to recognize the organization by. */
export type OrganizationSample = Stored<typeof SampleSchema>;

export const SampleSchema = v.object({
  resource: text,
  page: count,
  perPage: maybe(count),
  query: recordOf(text, text),
  /** Of whole records, see {@link sampleOf}. A smaller sample counts as none. */
  hashes: v.pipe(v.array(text), v.minLength(LEAST_IN_COMMON)),
  /** So many of them must be on the page at least. Absent in a sample of a former version: {@link LEAST_IN_COMMON}. */
  least: maybe(count),
  /** Records of the whole list, as the page told. */
  total: maybe(count),
  atMs: timeMs,
});

type SampleRequest = Pick<OrganizationSample, 'resource' | 'page' | 'perPage' | 'query'>;
type SampledPage = Pick<Page, 'records' | 'evidence'>;

/** Enough that a few changed records do not matter, few enough that the gate's item stays small. */
const SAMPLE_RECORDS = 32;
/** 72 bits: no two different records have the same hash by chance. Former versions kept 96. */
const HASH_LENGTH = 12;

/**
 * A sample of a page that may stand anywhere in its list, see {@link amid}. Of records that are equal one is enough.
 */
export function sampleOf(
  { resource, page, perPage, query }: SampleRequest,
  { records, evidence: { total } }: SampledPage,
  atMs: number,
): OrganizationSample {
  const distinct = [...new Set(records)];
  const size = Math.min(distinct.length, SAMPLE_RECORDS);
  const hashes = Array.from({ length: size }, (_, index) =>
    digest(distinct[Math.floor((index * distinct.length) / size)] ?? '', HASH_LENGTH),
  );
  const least = MADE_AT_MOST + 1;
  return { resource, page, ...defined({ perPage, total }), query, hashes, least, atMs };
}

/** The same of a page with at least `depth` other records on either side: so many fewer of its own can the API have made. */
export function amid(sample: OrganizationSample, depth: number): OrganizationSample {
  return { ...sample, least: Math.max(LEAST_IN_COMMON, MADE_AT_MOST + 1 - depth) };
}

/** Whether a page can show by this sample that an organization is the same. */
export function tells(sample: OrganizationSample): boolean {
  return spareIn(sample) >= 0;
}

/** A sample that may lose more is kept so long: each day some records are edited or move. Exports are mostly daily. */
const BETTER_KEPT_MS = 86_400_000;

/**
 * What is to be kept in place of `kept`: a sample that tells something, unless `kept` may lose more of its records, or as
 * many and is newer, and is not old. Where there is none, that of a former version goes: the API may have made most of its
 * records. So does one of a whole list that has more records by now. One without hashes counts as none.
 *
 * @param leastTotal The list has so many records at least.
 */
export function successor(
  sample: OrganizationSample | undefined,
  kept: OrganizationSample | undefined,
  leastTotal = 0,
): OrganizationSample | undefined {
  if (kept === undefined) return sample && tells(sample) ? sample : undefined;
  const isVoid = kept.least === undefined || (isWhole(kept) && leastTotal > kept.hashes.length);
  if (sample === undefined || !tells(sample)) {
    return isVoid ? { ...kept, hashes: [], least: MADE_AT_MOST + 1 } : undefined;
  }
  if (isVoid) return sample;
  const spare = spareIn(kept) - spareIn(sample);
  const isBetter = spare > 0 || (spare === 0 && kept.atMs > sample.atMs);
  return isBetter && sample.atMs - kept.atMs < BETTER_KEPT_MS ? undefined : sample;
}

/**
 * So many of its records may have changed, and it still shows that an organization is the same; less than 0 where it never
 * does.
 */
export function spareIn(sample: OrganizationSample): number {
  const { hashes, least = LEAST_IN_COMMON } = sample;
  const needed = Math.max(least, Math.floor(hashes.length / 2) + 1);
  return isWhole(sample) ? 0 : hashes.length - needed;
}

/**
 * Whether more than half of the sample's records are on the page, in any order, and more of them than the API may have
 * made: some may have changed since. So short a list that it may have made all of it is only the same as a whole.
 */
export function showsSame(sample: OrganizationSample, page: SampledPage): boolean {
  const { hashes, least = LEAST_IN_COMMON, total } = sample;
  const length = hashes[0]?.length ?? HASH_LENGTH;
  const received = new Set(page.records.map((record) => digest(record, length)));
  const inCommon = hashes.filter((each) => received.has(each)).length;
  const { total: totalNow } = page.evidence;
  if (isWhole(sample))
    return inCommon === totalNow && inCommon === total && inCommon === received.size;
  return inCommon >= least && inCommon * 2 > hashes.length && !areFar(total, totalNow);
}

function isWhole({ hashes, least, total }: OrganizationSample): boolean {
  const { length } = hashes;
  return !!least && length >= LEAST_IN_COMMON && length <= MADE_AT_MOST && length === total;
}

/** No list doubles or halves between two looks. */
function areFar(total: number | undefined, totalNow = total): boolean {
  if (total === undefined || totalNow === undefined) return false;
  return Math.max(total, totalNow) > 2 * Math.min(total, totalNow);
}

export function digest(record: string, length: number): string {
  return hash('sha256', record, 'base64url').slice(0, length);
}
