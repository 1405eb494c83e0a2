import { keyDetectorOf, redactorOf } from '../key/redaction.ts';
import {
  type JsonBody,
  jsonOf,
  type KeyTests,
  outcomeOfFailure,
  outcomeOfNoJson,
} from './answer-json.ts';
import { createSend, type HttpAnswer, type Send } from './http.ts';
import { connectionBroke } from './http-failure.ts';
import type { AnswerFacts } from './outcome.ts';
import { factsOf, type Reaction, type ReactionContext, reactionTo } from './reaction.ts';
import { createRequestGate, type RequestGate } from './request-gate.ts';
import type { CustomersClientSettings } from './settings.ts';

/** What one client's requests have in common. */
export interface Exchange {
  readonly send: Send;
  readonly gate: RequestGate;
  readonly keyTests: KeyTests;
  /** What decides a reaction now. */
  readonly context: () => ReactionContext;
  /** Gets a resource without effect, and reads it with `read` if it is JSON. */
  readonly get: <Outcome>(
    url: URL,
    signal: AbortSignal | undefined,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ) => Promise<Outcome | Reaction>;
}

export function createExchange(settings: CustomersClientSettings): Exchange {
  const send = createSend(settings);
  const gate = createRequestGate();
  const redact = redactorOf([settings.key]);
  const keyTests: KeyTests = {
    inBytes: keyDetectorOf(settings.key),
    inText: (text) => redact(text) !== text,
  };
  const context = (): ReactionContext => ({
    authenticationStatuses: settings.authenticationStatuses,
    holdsKey: keyTests.inText,
    nowMs: settings.now(),
    guesses: gate.guesses(),
    random: settings.random(),
  });

  const get: Exchange['get'] = async (url, signal, read) => {
    const tooEarly = gate.refusal(settings.now());
    if (tooEarly !== undefined) return tooEarly;
    const answer = await sendGet(send, url, signal);
    if (answer.kind === 'failure') return outcomeOfFailure(answer, settings.maxBodyBytes);
    const reaction = reactionTo(answer, context());
    gate.remember(reaction, settings.now());
    return reaction ?? readJson(answer, read);
  };
  const readJson = <Outcome>(
    answer: HttpAnswer,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ) => {
    const body = jsonOf(answer, keyTests, settings.maxBodyBytes);
    const facts = factsOf(answer, { holdsKey: keyTests.inText });
    return body.kind === 'json' ? read(body, facts) : outcomeOfNoJson(body, facts);
  };
  return { send, gate, keyTests, context, get };
}

/**
 * A connection that was kept alive may have been closed by the server meanwhile, as after a pause of
 * the function; such a request without effect is sent once more at once.
 */
async function sendGet(send: Send, url: URL, signal: AbortSignal | undefined) {
  const request = { method: 'GET', url, headers: { Accept: 'application/json' }, signal } as const;
  const first = await send(request);
  return first.kind === 'failure' && connectionBroke(first) ? send(request) : first;
}
