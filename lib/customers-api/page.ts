import { hash } from 'node:crypto';
import { defined } from '../defined.ts';
import { kindAt, membersOf, rootSpan, type Span, takeLines, textOf } from '../json/json-text.ts';
import { LINE_FEED } from '../json/json-tokens.ts';
import type { Lists } from '../json/scan-json.ts';
import type { JsonBody } from './answer-json.ts';
import { isErrorBody } from './error-body.ts';
import { type FoundItems, findItems } from './find-items.ts';
import { type MetaKeys, readEvidence } from './list-evidence.ts';
import type { AnswerFacts, Page, Refused } from './outcome.ts';

export interface PageContext {
  readonly page: number;
  readonly resource: string;
  readonly itemsKey: string | undefined;
  readonly metaKeys: MetaKeys;
  readonly idKey: string;
  readonly facts: AnswerFacts;
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
  const meta = metaOf(body.bytes, found.meta);
  const { ndjson, count } = takeLines(body, found.items);
  const { requestId, rateLimit } = context.facts;
  let records: Page['records'] | undefined;
  let ids: Page['ids'] | undefined;
  return {
    kind: 'page',
    page: context.page,
    // An export needs only the bytes, so the texts are made when they are first asked for.
    get records() {
      records ??= linesIn(ndjson).map((line) => textOf(ndjson, line));
      return records;
    },
    get ids() {
      ids ??= linesIn(ndjson).map((line) => idIn(ndjson, line, context.idKey));
      return ids;
    },
    recordCount: count,
    ndjson,
    release: body.release,
    fingerprint: hash('sha256', ndjson, 'hex'),
    ...edgeIdsOf(ndjson, context.idKey),
    ...meta,
    evidence: readEvidence(body.outline, context.metaKeys),
    ...defined({ requestId, rateLimit }),
  };
}

const NO_LISTS: Lists = new Map();

/** An answer with status 2xx whose body says that the request failed. */
export function errorBodyRefusal(facts: AnswerFacts): Refused {
  const code = facts.apiCode === undefined ? '' : ` (code ${facts.apiCode})`;
  const message = `The API answered with status ${facts.status}, but its body reports an error${code}. Look the code up in the API's documentation; repeating does not help.`;
  return { kind: 'refused', reason: 'error-body', message, ...facts };
}

/** White space is gone, so a line feed can only be one that separates records. */
function linesIn(ndjson: Uint8Array): readonly Span[] {
  const lines: Span[] = [];
  for (let start = 0; start < ndjson.length; ) {
    const end = ndjson.indexOf(LINE_FEED, start);
    lines.push({ start, end });
    start = end + 1;
  }
  return lines;
}

function edgeIdsOf(ndjson: Uint8Array, idKey: string): Pick<Page, 'edgeIds'> {
  if (ndjson.length === 0) return {};
  const lastStart = ndjson.lastIndexOf(LINE_FEED, ndjson.length - 2) + 1;
  const first = idIn(ndjson, { start: 0, end: ndjson.indexOf(LINE_FEED) }, idKey);
  const last = idIn(ndjson, { start: lastStart, end: ndjson.length - 1 }, idKey);
  return first === undefined || last === undefined ? {} : { edgeIds: `${first} ${last}` };
}

function idIn(ndjson: Uint8Array, line: Span, idKey: string): string | undefined {
  if (kindAt(ndjson, line.start) !== 'object') return undefined;
  // The last of duplicate members counts, as for JSON.parse.
  const id = membersOf({ bytes: ndjson, lists: NO_LISTS }, line.start).findLast(
    (member) => member.name === idKey,
  );
  return id?.kind === 'scalar' ? textOf(ndjson, id) : undefined;
}

function metaOf(bytes: Uint8Array, span: Span | undefined): Pick<Page, 'meta' | 'metaText'> {
  if (span === undefined) return { meta: undefined, metaText: undefined };
  const metaText = textOf(bytes, span);
  return { meta: JSON.parse(metaText), metaText };
}

function itemsRefusal(
  found: Exclude<FoundItems, { kind: 'found' }>,
  context: PageContext,
): Refused {
  const names = found.names.filter((name) => /^[\w.-]{1,64}$/.test(name)).join(', ');
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
