import { type Answer, errorAnswer, type HeaderLine, headerValues, httpDate } from './answer.ts';
import { answerFromApi } from './api.ts';
import { changedAnswer, replacedAnswer } from './fault-answers.ts';
import type { FaultKind } from './faults.ts';
import type { Incoming } from './incoming.ts';
import type { KeyHolder } from './organizations.ts';
import { askFor } from './rate-limit.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/** Faults after which a write has taken effect. */
const EFFECTIVE: ReadonlySet<string> = new Set(['lose-answer', 'error-after-effect']);

/** The whole answer, with the headers that every answer has. @param body Undefined: too large. */
export function answerTo(
  incoming: Incoming,
  body: string | undefined,
  fault: FaultKind | undefined,
): Answer {
  const { context, entry, key } = incoming;
  const dateMs = context.world.settings.now() + skewSecondsOf(fault) * 1000;
  const answer =
    (fault && replacedAnswer(fault, dateMs)) ??
    changedAnswer(fault, ordinaryAnswer(incoming, body, fault, dateMs), key);
  const common: HeaderLine[] = [['X-Request-Id', `simulator-${entry.n}`]];
  if (headerValues(answer.headers, 'Date').length === 0) common.push(['Date', httpDate(dateMs)]);
  return { ...answer, headers: [...common, ...answer.headers] };
}

function ordinaryAnswer(
  incoming: Incoming,
  body: string | undefined,
  fault: FaultKind | undefined,
  dateMs: number,
): Answer {
  const { context, holder } = incoming;
  if (holder === undefined || holder.status === 'revoked') {
    return errorAnswer(401, 'invalid_api_key', 'The API key is missing, unknown or revoked.');
  }
  const { settings } = context.world;
  const nowMs = settings.now();
  // A write fault promises an effect, so the limit does not get in its way.
  const waitSeconds = EFFECTIVE.has(fault?.kind ?? '') ? 0 : waitSecondsOf(holder, incoming, nowMs);
  const answer =
    waitSeconds > 0
      ? throttle(settings.retryAfter, waitSeconds, dateMs)
      : admittedAnswer(incoming, holder, body, fault);
  const told = rateLimitHeaders(settings.rateLimitHeaders, holder.limit.quotas(nowMs), dateMs);
  return { ...answer, headers: [...answer.headers, ...told] };
}

/** 0: it is admitted. */
function waitSecondsOf(
  { limit }: KeyHolder,
  { isTooMany }: Pick<Incoming, 'isTooMany'>,
  nowMs: number,
): number {
  if (isTooMany) return 1;
  const admission = askFor(limit, nowMs);
  return admission.kind === 'throttled' ? admission.waitSeconds : 0;
}

function throttle(form: 'seconds' | 'date', waitSeconds: number, dateMs: number): Answer {
  const value = form === 'seconds' ? String(waitSeconds) : httpDate(dateMs + waitSeconds * 1000);
  const message = `Too many requests. Retry after ${value}.`;
  return errorAnswer(429, 'rate_limited', message, [['Retry-After', value]]);
}

function admittedAnswer(
  { context, entry, query, header }: Incoming,
  { organization }: KeyHolder,
  body: string | undefined,
  fault: FaultKind | undefined,
): Answer {
  if (body === undefined) return errorAnswer(413, 'too_large', 'The body is over 10 MiB.');
  const { method, path, at } = entry;
  const request = { method, path, query, header, body, organization, fault, at };
  const { answer, effect } = answerFromApi(context.world, request);
  if (effect !== undefined) {
    context.effects += 1;
    entry.effect = { id: context.effects, ...effect };
  }
  return answer;
}

function skewSecondsOf(fault: FaultKind | undefined): number {
  if (fault?.kind === 'skewed-date') return fault.seconds;
  return fault?.kind === 'status' ? fault.clockSkewSeconds : 0;
}
