import { defined } from '../defined.ts';
import { rootSpan, type Span, takeLines, textOf } from '../json/json-text.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import { measureJson } from '../json/measure-json.ts';
import { type JsonBody, unusable } from './answer-json.ts';
import { codeFact, isErrorBody } from './error-body.ts';
import { type FoundItems, findItems, MAX_MEMBERS_SEARCHED } from './find-items.ts';
import { learnIdKey } from './learn-id-key.ts';
import type { MetaKeys } from './list-evidence.ts';
import { type AnswerFacts, askedWait, type Page, type Refused } from './outcome.ts';
import { readEvidence } from './read-evidence.ts';
import { hashRecords } from './record-hashes.ts';
import { idTexts } from './record-places.ts';

interface PageContext {
  readonly page: number;
  readonly resource: string;
  readonly itemsKey: string | undefined;
  readonly metaKeys: MetaKeys;
  /** Absent: learned from the records. */
  readonly idKey: string | undefined;
  readonly facts: AnswerFacts;
  /**
   * Whether a text holds the key, however short it is. Records may hold a short one by chance and are kept; names
   * and `meta`, which are shown and stored for people, are not.
   */
  readonly holdsKey: (text: string) => boolean;
}

/**
 * Cuts a page out of a body: its records as they were received, its `meta`, its evidence. The bytes of the
 * body become those of the page.
 */
export function pageOf(body: JsonBody, context: PageContext): Page | Refused {
  if (isErrorBody(body.outline)) return errorBodyRefusal(context.facts);
  const root = rootSpan(body);
  const found = findItems(body, root, context.resource, context.itemsKey);
  if (found.kind !== 'found') return itemsRefusal(found, context);

  // The list can be inside `meta`, so that comes first.
  const metaText = metaTextOf(body.bytes, found, context.holdsKey);
  if (typeof metaText === 'object') return unusable('too-complex', metaText.problem, context.facts);
  const lines = takeLines(body, found.items, MAX_RECORDS);
  if (lines === undefined) return tooManyRecords(context.facts);
  const { ndjson, count } = lines;
  if (count === 0 && isErrorBody(body.outline, true)) {
    // Only here is it known to be an error, so the facts have no code of it.
    return errorBodyRefusal({ ...context.facts, ...codeFact(body.outline, context.holdsKey) });
  }
  const { idKey, hashes, fingerprint } = hashed(ndjson, count, context);
  const { requestId, rateLimit } = context.facts;
  let meta: Page['meta'];
  let records: Page['records'] | undefined;
  let ids: Page['ids'] | undefined;
  return {
    kind: 'page',
    page: context.page,
    // An export needs only the bytes, so the texts are made when they are first asked for.
    get records() {
      records ??= recordLines({ ndjson }).map((line) => textOf(ndjson, line));
      return records;
    },
    get ids() {
      ids ??= idTexts(ndjson, count, idKey).map((id) => (id === '' ? undefined : id));
      return ids;
    },
    recordCount: count,
    ndjson,
    release: body.release,
    idKey,
    recordHashes: hashes,
    fingerprint,
    get meta() {
      meta ??= metaText === undefined ? undefined : JSON.parse(metaText);
      return meta;
    },
    metaText,
    evidence: readEvidence(body.outline, context.metaKeys),
    ...defined({ requestId, rateLimit }),
    ...askedWait(context.facts),
  };
}

function hashed(ndjson: Uint8Array, count: number, { idKey, resource }: PageContext) {
  return idKey === undefined
    ? learnIdKey(ndjson, count, resource)
    : { idKey, ...hashRecords(ndjson, count, idKey) };
}

/**
 * With so many a page has no more than 160 bytes for each within the default of `maxBodyBytes`; every text of a
 * record takes memory of its own where they are asked for.
 */
const MAX_RECORDS = 100_000;

/** An answer with status 2xx whose body says that the request failed. */
export function errorBodyRefusal(facts: AnswerFacts): Refused {
  const code = facts.apiCode === undefined ? '' : ` (code ${facts.apiCode})`;
  const message = `The API answered with status ${facts.status}, but its body reports an error${code}. Look the code up in the API's documentation; repeating does not help.`;
  return { kind: 'refused', reason: 'error-body', message, ...facts };
}

/** Where each record stands. White space is gone, so a line feed can only be one that separates records. */
export function recordLines({ ndjson }: Pick<Page, 'ndjson'>): readonly Span[] {
  const lines: Span[] = [];
  for (let start = 0; start < ndjson.length; ) {
    const end = ndjson.indexOf(LINE_FEED, start);
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

/** The block as received; a list that is inside it may make it too large to keep. */
function metaTextOf(
  bytes: Uint8Array,
  { items, meta }: Extract<FoundItems, { kind: 'found' }>,
  holdsKey: PageContext['holdsKey'],
): string | undefined | { readonly problem: string } {
  if (meta === undefined) return undefined;
  const problem = metaProblem(bytes, meta);
  if (problem === undefined) {
    const text = textOf(bytes, meta);
    return holdsKey(text) ? undefined : text;
  }
  const holdsItems = meta.start <= items.start && items.end <= meta.end;
  return holdsItems ? undefined : { problem };
}

function itemsRefusal(
  found: Exclude<FoundItems, { kind: 'found' }>,
  context: PageContext,
): Refused {
  if (found.kind === 'too-many-members') {
    const problem = `an object in it has more than ${MAX_MEMBERS_SEARCHED} members, too many to look for the records among them`;
    return unusable('too-complex', problem, context.facts);
  }
  const names = namesShown(found.names, context.holdsKey);
  const setting =
    context.itemsKey === undefined
      ? 'Set itemsKey to the name of the member that holds the records.'
      : `itemsKey is ${JSON.stringify(context.itemsKey)}; set it to the member that holds the records.`;
  const message =
    found.kind === 'ambiguous'
      ? `The answer has more than one list that could hold the records (${names}). ${setting}`
      : `The answer has no list of ${context.resource} where one was expected${names === '' ? '' : ` (its members: ${names})`}. ${setting}`;
  const reason = found.kind === 'ambiguous' ? 'items-ambiguous' : 'items-missing';
  return { kind: 'refused', reason, message, ...context.facts };
}

/** So many names show a person which list is meant. */
const MAX_NAMES = 20;

function namesShown(names: readonly string[], holdsKey: PageContext['holdsKey']): string {
  const plain = names.filter((name) => /^[\w.:@$-]{1,64}$/.test(name) && !holdsKey(name));
  const more = plain.length > MAX_NAMES ? `, and ${plain.length - MAX_NAMES} more` : '';
  return plain.slice(0, MAX_NAMES).join(', ') + more;
}

function tooManyRecords(facts: AnswerFacts): Refused {
  const message = `The page has more than ${MAX_RECORDS} records. Start again with a smaller perPage.`;
  return { kind: 'refused', reason: 'too-large', message, ...facts };
}

/** Blocks of counts, pages and links have some hundred bytes, and are kept as text and handed on to callers. */
const MAX_META_BYTES = 64 * 1024;
/** `meta.pagination.links.next.href` is as deep as real APIs go. */
const MAX_META_DEPTH = 8;
/** Members of objects and elements of lists; real ones have ten or twenty. */
const MAX_META_MEMBERS = 1_000;

/** Why a `meta` block is not read; `undefined` for one that is. */
function metaProblem(bytes: Uint8Array, meta: Span): string | undefined {
  const size = meta.end - meta.start;
  if (size > MAX_META_BYTES) return `meta has ${size} bytes, more than ${MAX_META_BYTES}`;
  const { depth, members } = measureJson(bytes, meta);
  if (depth > MAX_META_DEPTH) return `meta is nested ${depth} deep, deeper than ${MAX_META_DEPTH}`;
  if (members > MAX_META_MEMBERS) {
    return `meta has ${members} members, more than ${MAX_META_MEMBERS}`;
  }
  return undefined;
}
