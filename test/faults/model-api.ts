import type { ListOutcome, Page, Throttled } from '../../lib/customers-api/outcome.ts';
import { hashRecords } from '../../lib/customers-api/record-hashes.ts';

interface ApiRequest {
  readonly atMs: number;
  readonly list: string;
  readonly page: number;
  readonly perPage: number;
  readonly keyVersion: string;
  /** How many requests came before this one. */
  readonly before: number;
  /** As in `PageRequest`. */
  readonly isProbe?: true;
}

/** Decides what a request is answered with; `undefined` for the page itself. */
export type Behaviour = (request: ApiRequest) => ListOutcome | undefined;

/** Keys of versions such as `b1` are of the organization B, all others of A. */
export function organizationOf(keyVersion: string): string {
  return keyVersion.startsWith('b') ? 'B' : 'A';
}

/** The page of a list of `total` customers, with totals in `meta` unless told otherwise. */
export function pageOf(
  total: number,
  page: number,
  perPage: number,
  hasMeta = true,
  organization = 'A',
  list = 'customers',
): Page {
  const first = (page - 1) * perPage;
  const count = Math.max(0, Math.min(perPage, total - first));
  const records = Array.from({ length: count }, (_, index) =>
    recordOf(first + index, organization, list),
  );
  const meta = hasMeta ? { total, total_pages: Math.ceil(total / perPage) } : undefined;
  return pageWith(records, page, meta);
}

/** @param records With an id each. */
export function pageWith(
  records: readonly string[],
  page: number,
  meta?: { readonly total: number; readonly total_pages: number },
): Page {
  const ndjson = Buffer.from(records.map((record) => `${record}\n`).join(''));
  const { hashes: recordHashes, fingerprint } = hashRecords(ndjson, records.length, 'id');
  const counts = meta && { total: meta.total, totalPages: meta.total_pages };
  return {
    kind: 'page',
    page,
    records,
    recordCount: records.length,
    idKey: 'id',
    recordHashes,
    fingerprint,
    ndjson,
    // As memory that another answer is read into.
    release: () => void ndjson.fill('-'),
    meta,
    metaText: meta === undefined ? undefined : JSON.stringify(meta),
    ids: records.map((record) => /"id":(\d+)/.exec(record)?.[1]),
    // So that nobody asks for the page before the first one.
    evidence: { ...counts, ...(page === 1 && { previousPage: 'none' }), warnings: [] },
  };
}

export function recordOf(index: number, organization = 'A', list = 'customers'): string {
  const what = `${list.replace(/s$/, '')} ${index}`;
  const name = organization === 'A' ? what : `${what} of ${organization}`;
  return `{"id":${index},"name":"${name}"}`;
}

export function throttled(retryAfterSeconds: number): Throttled {
  return { kind: 'throttled', status: 429, retryAfterSeconds, waitSource: 'retry-after' };
}

/** Throttles like a bucket that holds `burst` requests and is refilled at a steady rate. */
export function tokenBucket(requestsPerSecond: number, burst: number): Behaviour {
  let tokens = burst;
  let lastAtMs: number | undefined;
  return ({ atMs }) => {
    const elapsedMs = atMs - (lastAtMs ?? atMs);
    tokens = Math.min(burst, tokens + (elapsedMs * requestsPerSecond) / 1000);
    lastAtMs = atMs;
    // Sums of fractions may fall short of a whole token by a rounding error.
    if (tokens < 1 - 1e-9) return throttled(Math.ceil((1 - tokens) / requestsPerSecond));
    tokens -= 1;
    return undefined;
  };
}
