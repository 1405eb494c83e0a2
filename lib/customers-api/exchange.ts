import { defined } from '../defined.ts';
import { keyDetectorOf, redactorOf } from '../key/redaction.ts';
import {
  errorIn,
  type JsonBody,
  jsonOf,
  outcomeOfFailure,
  outcomeOfNoJson,
} from './answer-json.ts';
import { createSend, type HttpAnswer, type HttpRequest } from './http.ts';
import { connectionBroke, type HttpFailure } from './http-failure.ts';
import type { AnswerFacts } from './outcome.ts';
import { rateLimitFactsOf } from './rate-limit-headers.ts';
import { factsOf, parseQuietly, type Reaction, reactionTo, withFacts } from './reaction.ts';
import { createRequestGate, type RequestGate } from './request-gate.ts';
import type { CustomersClientSettings } from './settings.ts';

/** An answer, and what its status and headers ask for; `undefined` for a 2xx. */
interface Received {
  readonly answer: HttpAnswer;
  readonly reaction: Reaction | undefined;
}

/** What one client's requests have in common. */
export interface Exchange {
  /** Sends once. The gate knows of the answer before its body is read. */
  readonly send: (request: HttpRequest) => Promise<Received | HttpFailure>;
  readonly gate: RequestGate;
  /** What the API asked for meanwhile, of a request that did not leave. */
  readonly heldBackBy: (received: Received | HttpFailure) => ReturnType<RequestGate['refusal']>;
  /** Whether bytes hold the key. */
  readonly keyInBytes: (bytes: Uint8Array) => boolean;
  /** Whether a text holds the key. */
  readonly keyInText: (text: string) => boolean;
  /** Gets a resource without effect, and reads it with `read` if it is JSON. */
  readonly get: <Outcome>(
    url: URL,
    signal: AbortSignal | undefined,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ) => Promise<Outcome | Reaction>;
}

export function createExchange(settings: CustomersClientSettings): Exchange {
  const sendOnce = createSend(settings);
  const gate = createRequestGate();
  const redact = redactorOf([settings.key]);
  const keyInBytes = keyDetectorOf(settings.key);
  const keyInText = (text: string) => redact(text) !== text;
  const { authenticationStatuses, now, random } = settings;

  const send: Exchange['send'] = async (request) => {
    let reaction: Reaction | undefined;
    const mayLeave = () => gate.refusal(now()) === undefined;
    const answer = await sendOnce({ ...request, mayLeave }, (head) => {
      const context = {
        authenticationStatuses,
        nowMs: now(),
        guesses: gate.guesses(),
        random: random(),
      };
      reaction = reactionTo(head, context);
      gate.remember(reaction, now());
    });
    if (answer.kind === 'failure') return answer;
    if (reaction === undefined) return { answer, reaction };
    return {
      answer,
      reaction: withFacts(reaction, factsOf(answer, keyInText, parseQuietly(answer))),
    };
  };

  const heldBackBy: Exchange['heldBackBy'] = (received) =>
    'sent' in received && !received.sent ? gate.refusal(now()) : undefined;

  const get: Exchange['get'] = async (url, signal, read) => {
    const tooEarly = gate.refusal(now());
    if (tooEarly !== undefined) return tooEarly;
    const request = {
      method: 'GET',
      url,
      headers: { Accept: 'application/json' },
      signal,
    } as const;
    const sentAtMs = performance.now();
    let received = await send(request);
    const heldBack = heldBackBy(received);
    if (heldBack !== undefined) return heldBack;
    // A connection that was kept alive may have been closed by the server meanwhile, as after a pause of
    // the function. Such a request without effect is sent once more, if nobody was throttled since.
    if ('sent' in received && connectionBroke(received)) {
      const closed = gate.refusal(now());
      if (closed !== undefined) return closed;
      const restMs = Math.ceil(settings.deadlineMs - (performance.now() - sentAtMs));
      received = await send({ ...request, deadlineMs: Math.max(1, restMs) });
    }
    if ('sent' in received) return outcomeOfFailure(received, settings.maxBodyBytes);
    return received.reaction ?? readJson(received.answer, read);
  };

  const readJson = <Outcome>(
    answer: HttpAnswer,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ) => {
    const body = jsonOf(answer, keyInBytes, settings.maxBodyBytes);
    const errorBody = body.kind === 'json' ? errorIn(body) : undefined;
    const rateLimit = rateLimitFactsOf(answer.headers, settings.now());
    const facts = {
      ...factsOf(answer, keyInText, errorBody),
      ...defined({ rateLimit }),
    };
    return body.kind === 'json' ? read(body, facts) : outcomeOfNoJson(body, facts);
  };
  return { send, gate, heldBackBy, keyInBytes, keyInText, get };
}
