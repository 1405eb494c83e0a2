import {
  advanceWalk,
  endOnRefusal,
  startWalk,
  type WalkDecision,
} from '../customers-api/list-walk.ts';
import type {
  AuthenticationFailure,
  ListOutcome,
  Page,
  ReadOutcome,
  Throttled,
} from '../customers-api/outcome.ts';
import { recordLines } from '../customers-api/page.ts';
import { isResource } from '../customers-api/resource-url.ts';
import type { BoundClient } from '../gate/gated-client.ts';
import type { Blocked, BoundNotSent } from '../gate/not-sent.ts';
import { checkedJson } from '../json/exact-json.ts';
import { matchJson, matchRecord, type RecordMatch } from './match-record.ts';
import type { Check, ListCheck, ReadCheck } from './operation.ts';
import { fillTemplate, type TemplateValues } from './template.ts';

/** Only `did-nothing` allows a repeat. */
export type CheckResult =
  | { readonly kind: 'took-effect' }
  | { readonly kind: 'did-nothing' }
  /** `message` gives the reason and what to do; it holds no value of a record. */
  | { readonly kind: 'unknown'; readonly message: string }
  | { readonly kind: 'throttled'; readonly outcome: Throttled }
  | { readonly kind: 'authentication-failure'; readonly outcome: AuthenticationFailure }
  | { readonly kind: 'not-sent'; readonly notSent: BoundNotSent };

export interface CheckSurroundings {
  readonly client: Pick<BoundClient, 'read' | 'listPage'>;
  readonly firstPage: number;
  readonly signal: AbortSignal;
  /** Waits until another request may be sent; says why not when there is no time for that. */
  readonly whyNotAgain: () => Promise<Blocked | 'no-time' | undefined>;
}

export async function runCheck(
  check: Check,
  values: TemplateValues,
  surroundings: CheckSurroundings,
): Promise<CheckResult> {
  const resource = fillTemplate(check.resource, values, asSegment);
  const query = filled(check.query ?? {}, values, asQueryValue);
  const expected = filled(check.match ?? {}, values);
  if (resource === undefined || query === undefined || expected === undefined) {
    return unknown(
      'A placeholder of the check has no value in this write, or a value that is there twice, is not text, a number or a boolean, or holds half of a character. Correct the check, or set the value in the write.',
    );
  }
  if (!isResource(resource)) {
    return unknown(
      "The check's resource, with the values of this write, is no path of the API. Correct the check, or set another value in the write.",
    );
  }
  return check.kind === 'read'
    ? readCheck(check, { resource, query, expected }, surroundings)
    : listCheck(check, { resource, query, expected }, surroundings);
}

interface Filled {
  readonly resource: string;
  readonly query: Readonly<Record<string, string>>;
  /** What `match` compares with. */
  readonly expected: Readonly<Record<string, string>>;
}

async function readCheck(
  check: ReadCheck,
  { resource, query, expected }: Filled,
  { client, signal }: CheckSurroundings,
): Promise<CheckResult> {
  const outcome = await client.read({ resource, query, signal });
  if (outcome.kind === 'resource') return proofOf(check, matchRecord(outcome.bodyText, expected));
  // 404 Not Found and 410 Gone (RFC 9110 sections 15.5.5 and 15.5.11).
  if (outcome.kind === 'refused' && (outcome.status === 404 || outcome.status === 410)) {
    return outcome.hasErrorBody === true ? proofOf(check, 'absent') : unknown(NOT_OF_THE_API);
  }
  return withoutAnswer(outcome);
}

async function listCheck(
  check: ListCheck,
  { resource, query, expected }: Filled,
  { client, firstPage, signal, whyNotAgain }: CheckSurroundings,
): Promise<CheckResult> {
  let walk = startWalk(firstPage);
  let total: number | undefined;
  let cannotTell = false;
  for (let pages = 0; pages < check.maxPages; pages++) {
    const whyNot = pages > 0 ? await whyNotAgain() : undefined;
    if (whyNot !== undefined)
      return whyNot === 'no-time' ? unknown(NO_TIME) : withoutAnswer(whyNot);
    const outcome = await client.listPage({ resource, query, page: walk.nextPage, signal });
    if (outcome.kind === 'refused') {
      const end = endOnRefusal(walk, outcome);
      return end?.kind === 'end' ? afterList(check, end, cannotTell) : withoutAnswer(outcome);
    }
    if (outcome.kind !== 'page') return withoutAnswer(outcome);
    const found = matchPage(outcome, expected);
    if (found === 'matches') return proofOf(check, 'matches');
    cannotTell ||= found === 'cannot-tell';
    // A record that moved to an earlier page would be missed. Only an unchanged total shows that none moved.
    const { total: totalNow } = outcome.evidence;
    if (pages > 0 && (total === undefined || totalNow !== total)) return unknown(LIST_MOVED);
    total = totalNow;
    const { walk: after, decision } = advanceWalk(walk, outcome);
    if (decision.kind === 'refused') return unknown(decision.message);
    if (decision.kind === 'end') return afterList(check, decision, cannotTell);
    walk = after;
  }
  return unknown(
    `No record matched on ${check.maxPages} pages, and the list goes on. Narrow the check's query, or raise its maxPages.`,
  );
}

function matchPage(page: Page, expected: Filled['expected']): RecordMatch {
  // Where the records stand: as texts a long page would be in memory twice more.
  const found = recordLines(page).map(({ start, end }) =>
    matchJson(checkedJson(page.ndjson.subarray(start, end)), expected),
  );
  if (found.includes('matches')) return 'matches';
  return found.includes('cannot-tell') ? 'cannot-tell' : 'differs';
}

function afterList(
  check: ListCheck,
  end: Extract<WalkDecision, { kind: 'end' }>,
  cannotTell: boolean,
): CheckResult {
  if (cannotTell) return proofOf(check, 'cannot-tell');
  if (end.missing > 0 || end.contradictions.length > 0) return unknown(LIST_MOVED);
  return proofOf(check, 'absent');
}

const NARROW = "Narrow the check's query so that one page answers it.";
const LIST_MOVED = `The list changed during the search, or has no total that shows that it did not. ${NARROW}`;
const NO_TIME = `There was no time for all pages of the list. ${NARROW}`;

/** While an API is deployed or down, what stands in front of it often answers 404 by itself. */
const NOT_OF_THE_API =
  'The check was answered with 404 or 410 and without an error of the API in JSON, as a proxy in front of it does: that shows nothing. If the API answers so, search a list instead.';

function proofOf({ proves = 'match' }: Check, found: RecordMatch | 'absent'): CheckResult {
  if (found === 'cannot-tell') {
    return unknown(
      'A record lacks a member that the check compares, or its value there is not text, a number or a boolean. Correct the match.',
    );
  }
  if (proves === 'match') return { kind: found === 'matches' ? 'took-effect' : 'did-nothing' };
  if (found === 'absent') return { kind: 'took-effect' };
  if (found === 'matches') return { kind: 'did-nothing' };
  return unknown('There is a record, but it does not match the check.');
}

function withoutAnswer(
  outcome: Exclude<ListOutcome | ReadOutcome | BoundNotSent, { kind: 'page' | 'resource' }>,
): CheckResult {
  switch (outcome.kind) {
    case 'throttled':
      return { kind: 'throttled', outcome };
    case 'authentication-failure':
      return { kind: 'authentication-failure', outcome };
    case 'unavailable':
    case 'refused':
      return unknown(outcome.message);
    default:
      return { kind: 'not-sent', notSent: outcome };
  }
}

function filled(
  templates: Readonly<Record<string, string>>,
  values: TemplateValues,
  encode?: (value: string) => string | undefined,
): Readonly<Record<string, string>> | undefined {
  const texts: [string, string][] = [];
  for (const [name, template] of Object.entries(templates)) {
    const text = fillTemplate(template, values, encode);
    if (text === undefined) return undefined;
    texts.push([name, text]);
  }
  return Object.fromEntries(texts);
}

/** Half of a character has no form in a URL: another value would be looked for. */
function asQueryValue(value: string): string | undefined {
  return value.isWellFormed() ? value : undefined;
}

function asSegment(value: string): string | undefined {
  return value.isWellFormed() ? encodeURIComponent(value) : undefined;
}

function unknown(message: string): CheckResult {
  return { kind: 'unknown', message };
}
