import * as v from 'valibot';
import { defined } from '../defined.ts';
import { SettingError } from '../errors.ts';
import { givenText } from '../json/given-text.ts';
import { wholeText } from '../json/json-text.ts';
import { MAX_NESTING, scanJson } from '../json/scan-json.ts';
import { outcomeOfFailure, readJsonBody } from './answer-json.ts';
import { errorSign, hasId } from './error-body.ts';
import type { Exchange, Received } from './exchange.ts';
import { type HttpFailure, lossOf } from './http-failure.ts';
import {
  type AnswerFacts,
  askedWait,
  type Unclear,
  type WriteDone,
  type WriteOutcome,
} from './outcome.ts';
import { errorBodyRefusal } from './page.ts';
import { parseOptions, signalOption } from './parse-options.ts';
import { factsOf, type Reaction } from './reaction.ts';
import { resourceUrl } from './resource-url.ts';
import type { CustomersClientSettings } from './settings.ts';

/** One write to send. */
export interface WriteRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below `{base_url}/2.0/`, such as `customers` or `customers/42`. */
  readonly resource: string;
  /** Sent as JSON. @default - `bodyText`, or no body */
  readonly body?: unknown;
  /** JSON text that is sent as it is, in place of `body`: for numbers with more digits than JavaScript's have. */
  readonly bodyText?: string | undefined;
  /**
   * 1 to 255 visible ASCII characters, made once for the logical write by the caller and the same on
   * every repeat. Only for operations that accept `Idempotency-Key`.
   */
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The members of a {@link WriteRequest}. */
export const writeEntries = {
  method: v.picklist(['POST', 'PUT', 'PATCH', 'DELETE'], 'expected POST, PUT, PATCH or DELETE'),
  resource: v.string('expected text such as customers/42'),
  body: v.optional(v.unknown()),
  bodyText: v.optional(v.string('expected JSON text')),
  idempotencyKey: v.optional(
    v.pipe(
      v.string(),
      v.regex(/^[\x21-\x7e]{1,255}$/, 'expected 1 to 255 visible ASCII characters'),
    ),
  ),
  signal: signalOption,
} satisfies { readonly [K in keyof WriteRequest]-?: v.GenericSchema };

const requestSchema = v.strictObject(writeEntries);

/**
 * Sends one write once. Nothing is repeated here: whether that is safe is known to who keeps the
 * `Idempotency-Key` or can look up whether the write took effect.
 *
 * @throws SettingError for a request that cannot be sent as asked.
 */
export async function sendWrite(
  request: WriteRequest,
  exchange: Exchange,
  settings: CustomersClientSettings,
): Promise<WriteOutcome> {
  const sent = httpRequestOf(request, settings.apiRoot);
  const tooEarly = exchange.refusal();
  if (tooEarly !== undefined) return tooEarly;
  if (request.signal?.aborted) return unclear({ kind: 'failure', reason: 'aborted', sent: false });

  const { signal } = request;
  try {
    const received = await exchange.send({ ...sent, signal });
    return outcomeOf(received, exchange, settings.maxBodyBytes);
  } catch {
    // Whoever gets an error takes the write for one that never left, and sends it again.
    return unclear({ kind: 'failure', reason: 'network', sent: true });
  }
}

function outcomeOf(
  received: Received | HttpFailure,
  exchange: Exchange,
  maxBodyBytes: number,
): WriteOutcome {
  const heldBack = exchange.heldBackBy(received);
  if (heldBack !== undefined) return heldBack;
  if ('sent' in received) {
    const outcome = outcomeOfFailure(received, maxBodyBytes);
    return outcome.kind === 'refused' && !received.sent ? outcome : unclear(received);
  }
  const { reaction } = received;
  return reaction === undefined
    ? afterSuccess(received, exchange, maxBodyBytes)
    : afterReaction(reaction);
}

function httpRequestOf(request: WriteRequest, apiRoot: URL) {
  const { method, resource, idempotencyKey } = parseOptions(requestSchema, request, 'request');
  const body = bodyOf(request);
  return {
    method,
    address: resourceUrl(apiRoot, resource).href,
    ...defined({ body }),
    headers: defined({
      'Content-Type': body === undefined ? undefined : 'application/json',
      'Idempotency-Key': idempotencyKey,
    }),
  };
}

function bodyOf({ body, bodyText }: WriteRequest): string | undefined {
  if (bodyText === undefined) return body === undefined ? undefined : givenText(body, 'body');
  if (body !== undefined) throw new SettingError('bodyText', 'expected body or bodyText, not both');
  const lists = bodyText.isWellFormed() ? scanJson(Buffer.from(bodyText)) : undefined;
  if (lists === undefined) throw new SettingError('bodyText', 'expected JSON text');
  if (lists === 'too-deep') {
    throw new SettingError('bodyText', `expected at most ${MAX_NESTING} levels of nesting`);
  }
  return bodyText;
}

/** 2xx: done, unless the body says otherwise or cannot be read to the end. */
function afterSuccess(
  { answer, limits }: Received,
  exchange: Exchange,
  maxBodyBytes: number,
): WriteOutcome {
  const body = readJsonBody(answer, () => false, maxBodyBytes);
  const sign = body.kind === 'json' ? errorSign(body.outline) : undefined;
  const error = body.kind === 'json' && sign !== undefined ? body.outline : undefined;
  const facts = { ...factsOf(answer, exchange.keyInText, error), ...askedWait(limits) };
  if (body.kind === 'no-json') {
    const { reason, problem } = body;
    if (reason === 'empty') return done(answer.status, facts);
    const known = reason === 'key-echo' ? 'not-json' : reason;
    return unclearBody(known, exchange.redact(problem), facts);
  }
  if (error !== undefined) {
    // It may be what the write made, with errors of its own, or tell by an id of its own that the write failed.
    if (hasId(error)) return unclearBody('error-body', RECORD, facts);
    return sign === 'certain'
      ? errorBodyRefusal(facts)
      : unclearBody('error-body', 'its body may report an error', facts);
  }
  if (exchange.keyIn(body.bytes)) return done(answer.status, facts);
  return done(answer.status, facts, wholeText(body.bytes));
}

/**
 * A status other than 2xx. 429, 4xx and the 503 of a rate limit mean that the API did not act. Any other
 * 5xx may have come after the effect, and so may 302 and 303, by which web applications answer a form
 * that they accepted (RFC 9110 sections 15.4.3 and 15.4.4).
 */
function afterReaction(reaction: Reaction): WriteOutcome {
  const { status = 0 } = reaction;
  const mayHaveActed =
    (status >= 500 && status !== 503) || status === 302 || status === 303 || status === 408;
  const isUnclear =
    reaction.kind === 'unavailable' || (mayHaveActed && reaction.kind !== 'authentication-failure');
  if (!isUnclear) return reaction;
  const { requestId, apiCode } = reaction;
  return {
    kind: 'unclear',
    reason: status === 302 || status === 303 ? 'redirect' : 'server-error',
    sent: true,
    message: `The API answered with status ${status}, which leaves open whether it acted. ${CHECK_FIRST}`,
    status,
    ...askedWait(reaction),
    ...defined({ requestId, apiCode }),
  };
}

const CHECK_FIRST =
  'Check whether the write took effect before repeating it, or repeat it with the same Idempotency-Key.';

function done(status: number, facts: AnswerFacts, bodyText?: string): WriteDone {
  const { requestId } = facts;
  return { kind: 'done', status, ...defined({ bodyText, requestId }), ...askedWait(facts) };
}

const RECORD = 'its body is a record that reports an error';

function unclearBody(reason: Unclear['reason'], problem: string, facts: AnswerFacts): Unclear {
  const message = `The API answered with status ${facts.status}, but ${problem}. ${CHECK_FIRST}`;
  return { kind: 'unclear', reason, sent: true, message, ...facts };
}

function unclear(failure: HttpFailure): Unclear {
  const { reason, sent, networkCode } = failure;
  const why = networkCode === undefined ? reason : `${reason}, ${networkCode}`;
  const message = sent
    ? `No answer came (${why}). ${CHECK_FIRST}`
    : `The request never left (${why}), so the API did not act. Repeat it.`;
  return { kind: 'unclear', reason: lossOf(failure), sent, message };
}
