import { defined } from '../defined.ts';
import type { OutlinePlan } from '../json/json-outline.ts';
import { keyDetectorOf, type Redact, redactorOf } from '../key/redaction.ts';
import { type JsonBody, outcomeOfFailure, outcomeOfNoJson, readJsonBody } from './answer-json.ts';
import type { BodyBuffer } from './body-buffers.ts';
import { createClientMemory, type Moment } from './client-memory.ts';
import { isErrorBody } from './error-body.ts';
import { createHttp, type Http, type HttpAnswer, type HttpHead, type HttpRequest } from './http.ts';
import { connectionBroke, type HttpFailure } from './http-failure.ts';
import {
  type AnswerFacts,
  type AuthenticationFailure,
  askedWait,
  type Throttled,
} from './outcome.ts';
import type { Query } from './query.ts';
import { errorOutline, factsOf, type Reaction, reactionTo, withFacts } from './reaction.ts';
import type { CustomersClientSettings } from './settings.ts';
import { readThrottle } from './throttle-wait.ts';

/** An answer, and what its status and headers ask for. */
export interface Received {
  readonly answer: HttpAnswer;
  /** `undefined` for a 2xx. */
  readonly reaction: Reaction | undefined;
  /** What its headers say about the requests to come. */
  readonly limits: Limits;
}

type Limits = Pick<AnswerFacts, 'rateLimit' | 'retryAfterSeconds' | 'waitAsSent'>;

/** A request without effect. */
interface GetRequest extends Pick<HttpRequest, 'signal' | 'onLeave'> {
  readonly url: URL;
  readonly query?: Query | undefined;
  readonly plan: OutlinePlan;
  /** Not again where a connection broke: who counts requests repeats by itself. @default false */
  readonly onlyOnce?: boolean;
  /** A 204 is a list without records, and else no answer. @default false */
  readonly isList?: boolean;
  /** Only status 401 rejects the key. @default false */
  readonly isProbe?: boolean | undefined;
}

/** Later than this callers look again whether they may ask: another process may have been told to wait meanwhile. */
const AT_ONCE_MS = 1_000;

export const NO_CONTENT = 204;

/** What one client's requests have in common: the key, and what the API asked for. */
export class Exchange {
  /** Whether bytes or a text hold the key, if that is long enough to be looked for. */
  readonly keyIn: (content: Uint8Array | string) => boolean;
  /** Whether a text holds the key, however short it is. */
  readonly keyInText: (text: string) => boolean;
  /** A text without the key. */
  readonly redact: Redact;
  readonly #settings: CustomersClientSettings;
  readonly #http: Http;
  readonly #memory = createClientMemory();
  readonly #heard: (head: HttpHead) => void;

  /** @param heard Gets status and headers of each answer, which may hold the key. */
  constructor(settings: CustomersClientSettings, heard: (head: HttpHead) => void = () => {}) {
    this.#settings = settings;
    this.#heard = heard;
    this.#http = createHttp(settings);
    this.redact = redactorOf([settings.key]);
    this.keyIn = keyDetectorOf(settings.key);
    this.keyInText = (text) => this.redact(text) !== text;
  }

  /** The outcome of a request that must not be made now; `undefined` when it may be made. */
  refusal(): Throttled | AuthenticationFailure | undefined {
    return this.#memory.refusal(this.#moment());
  }

  #moment(): Moment {
    const { now, elapsed } = this.#settings;
    return { nowMs: now(), elapsedMs: elapsed() };
  }

  /** Sends once, and nothing that holds the key. The gate knows of the answer before its body is read. */
  async send(request: HttpRequest, isProbe = false): Promise<Received | HttpFailure> {
    if (this.#isKeyIn(request)) return { kind: 'failure', reason: 'key-in-request', sent: false };
    let known: Pick<Received, 'reaction' | 'limits'> | undefined;
    const answer = await this.#http.send(request, (head) => {
      this.#heard(head);
      known = this.#onHead(head, isProbe);
    });
    if (answer.kind === 'failure') return answer;
    const { reaction, limits = {} } = known ?? {};
    if (reaction === undefined) return { answer, reaction, limits };
    const errorBody = errorOutline(answer);
    const facts = { ...factsOf(answer, this.keyInText, errorBody), ...limits };
    return { answer, reaction: withFacts(reaction, facts, errorBody), limits };
  }

  /** What the API asked for meanwhile, of a request that did not leave. */
  heldBackBy(received: Received | HttpFailure): ReturnType<Exchange['refusal']> {
    return 'sent' in received && !received.sent ? this.refusal() : undefined;
  }

  /** Gets a resource without effect, and reads it with `read` if it is JSON. */
  async get<Outcome>(
    { url, query, plan, isList = false, onlyOnce = false, isProbe, ...rest }: GetRequest,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ): Promise<Outcome | Reaction> {
    const tooEarly = this.refusal();
    if (tooEarly !== undefined) return tooEarly;
    const { now, deadlineMs } = this.#settings;
    const sentAtMs = now();
    const request = { method: 'GET', address: withQuery(url, query), ...rest } as const;
    let received = await this.send(request, isProbe);
    // A connection that was kept alive may have been closed by the server meanwhile, as after a pause of
    // the function; it breaks at once. Such a request without effect is sent once more, if nobody was throttled since.
    const tookMs = now() - sentAtMs;
    const isAtOnce = tookMs >= 0 && tookMs <= AT_ONCE_MS;
    if (!onlyOnce && isAtOnce && 'sent' in received && connectionBroke(received)) {
      const closed = this.refusal();
      if (closed !== undefined) return closed;
      const restMs = Math.max(1, deadlineMs - tookMs);
      received = await this.send({ ...request, deadlineMs: restMs }, isProbe);
    }
    const heldBack = this.heldBackBy(received);
    if (heldBack !== undefined) return heldBack;
    if ('sent' in received) return outcomeOfFailure(received, this.#settings.maxBodyBytes);
    if (received.reaction !== undefined) return received.reaction;
    const { answer } = received;
    const isEmptyList = isList && answer.status === NO_CONTENT;
    const whole = isEmptyList
      ? { ...received, answer: { ...answer, body: emptyList() } }
      : received;
    return this.#readJson(whole, plan, read);
  }

  /** Addresses are written to logs on their way, and an API shows what it has stored. */
  #isKeyIn({ address, headers = {}, body }: HttpRequest): boolean {
    return this.keyIn([address, ...Object.values(headers), ...(body ? [body] : [])].join('\0'));
  }

  #onHead({ status, headers }: HttpHead, isProbe: boolean): Pick<Received, 'reaction' | 'limits'> {
    const { authenticationStatuses, now, random } = this.#settings;
    const { wait, rateLimit } = readThrottle(headers, now(), this.keyInText);
    const reaction = reactionTo(status, wait, {
      authenticationStatuses: isProbe ? [] : authenticationStatuses,
      guesses: this.#memory.guesses(),
      random: random(),
    });
    this.#memory.remember({ status, reaction, wait }, this.#moment());
    if (this.refusal() !== undefined) this.#http.holdBack();
    const isAsked = wait?.waitSource === 'retry-after';
    return { reaction, limits: { ...defined({ rateLimit }), ...(isAsked ? askedWait(wait) : {}) } };
  }

  #readJson<Outcome>(
    { answer, limits }: Received,
    plan: OutlinePlan,
    read: (body: JsonBody, facts: AnswerFacts) => Outcome,
  ): Outcome | Reaction {
    const { maxBodyBytes } = this.#settings;
    const body = readJsonBody(answer, this.keyIn, maxBodyBytes, plan);
    const isError = body.kind === 'json' && isErrorBody(body.outline);
    const error = isError ? body.outline : undefined;
    const facts = { ...factsOf(answer, this.keyInText, error), ...limits };
    if (body.kind === 'json') return read(body, facts);
    return outcomeOfNoJson({ ...body, problem: this.redact(body.problem) }, facts);
  }
}

function emptyList(): BodyBuffer {
  return { bytes: Buffer.from('[]'), release: () => {} };
}

/** For `searchParams` ky makes a second Request. A resource's URL has no query of its own. */
function withQuery(url: URL, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.append(name, String(value));
  }
  return parameters.size === 0 ? url.href : `${url.href}?${parameters}`;
}
