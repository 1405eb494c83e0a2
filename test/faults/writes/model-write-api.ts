import type { ListOutcome, ReadOutcome, WriteOutcome } from '../../../lib/customers-api/outcome.ts';
import type { WriteRequest } from '../../../lib/customers-api/write.ts';
import { isJsonObject, parseJson } from '../../../lib/json/json-value.ts';
import { NOT_FOUND } from '../../not-found.ts';
import { pageOf } from '../model-api.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** One request as it reached the API. */
export interface ApiRequest {
  readonly n: number;
  readonly atMs: number;
  readonly kind: 'write' | 'read' | 'list';
  /** The write that it is for. */
  readonly writeId: string;
  readonly keyVersion: string;
  readonly idempotencyKey?: string;
  /** What the API did and answered, whether the answer arrived or not. */
  outcome: string;
}

/** A write that took effect. */
export interface WriteEffect {
  readonly writeId: string;
  readonly atMs: number;
}

interface ApiTroubles {
  /** Probability of each of them, for a write. */
  readonly errorAfterEffect: number;
  readonly errorBeforeEffect: number;
  /** The connection breaks, and the effect comes up to `lateMs` later. */
  readonly lateEffect: number;
  readonly lateMs: number;
  /** No further trouble from then on. */
  readonly untilMs: number;
}

export type SentWrite = Omit<WriteRequest, 'signal'>;

/** The API of a {@link WriteWorld}, with a log of its own. */
export interface WriteApi {
  readonly requests: readonly ApiRequest[];
  readonly effects: readonly WriteEffect[];
  /** Records that are there before they are replaced or removed, by id. */
  readonly records: Pick<Map<string, string>, 'set'>;
  /** Key versions that are not accepted any more. */
  readonly revoked: Pick<Set<string>, 'add'>;
  write(sent: SentWrite, keyVersion: string): WriteOutcome | Promise<WriteOutcome>;
  read(resource: string, keyVersion: string): ReadOutcome | Promise<ReadOutcome>;
  list(reference: string, page: number, keyVersion: string): ListOutcome | Promise<ListOutcome>;
}

interface Remembered {
  readonly atMs: number;
  /** Absent while the request is being processed. */
  answer?: WriteOutcome;
}

/** The rate of a bucket, and how long keys are kept. */
export interface ApiRules {
  readonly requestsPerSecond: number;
  readonly burst: number;
  readonly idempotencyKeyMs: number;
  readonly troubles: ApiTroubles;
}

/**
 * An API with writes in virtual time that keeps its own log. Records carry the id of the write that made
 * them in `reference`; a write whose body says `bad` is refused.
 */
export class ModelWriteApi implements WriteApi {
  readonly requests: ApiRequest[] = [];
  readonly effects: WriteEffect[] = [];
  readonly revoked = new Set<string>();
  /** By id. */
  readonly records = new Map<string, string>();
  readonly #clock: VirtualClock;
  readonly #random: () => number;
  readonly #rules: ApiRules;
  readonly #keys = new Map<string, Remembered>();
  #tokens: number;
  #tokensAtMs: number;

  constructor(clock: VirtualClock, random: () => number, rules: ApiRules) {
    this.#clock = clock;
    this.#random = random;
    this.#rules = rules;
    this.#tokens = rules.burst;
    this.#tokensAtMs = clock.now();
  }

  write(sent: SentWrite, keyVersion: string): WriteOutcome {
    const { idempotencyKey } = sent;
    const request = this.#log('write', writeIdOf(sent), keyVersion, idempotencyKey);
    const outcome = this.#admit(keyVersion) ?? this.#carryOut(sent, request.writeId, keyVersion);
    request.outcome = 'status' in outcome ? `${outcome.kind} ${outcome.status}` : outcome.kind;
    return outcome;
  }

  read(resource: string, keyVersion: string): ReadOutcome {
    const id = resource.split('/')[1] ?? '';
    const request = this.#log('read', writeIdOfRecord(id), keyVersion);
    const refused = this.#admit(keyVersion);
    const reference = this.records.get(id);
    const outcome: ReadOutcome =
      refused ??
      (reference === undefined
        ? NOT_FOUND
        : {
            kind: 'resource',
            status: 200,
            bodyText: JSON.stringify({ id, reference }),
            idKey: 'id',
          });
    request.outcome = outcome.kind === 'resource' ? `has ${reference}` : outcome.kind;
    return outcome;
  }

  list(reference: string, page: number, keyVersion: string): ListOutcome {
    const request = this.#log('list', reference, keyVersion);
    const refused = this.#admit(keyVersion);
    const found = [...this.records.values()].filter((each) => each === reference);
    request.outcome = refused?.kind ?? `page with ${found.length}`;
    if (refused !== undefined) return refused;
    const lines = found.map((each) => `${JSON.stringify({ reference: each })}\n`);
    return { ...pageOf(found.length, page, 10), ndjson: Buffer.from(lines.join('')) };
  }

  #log(
    kind: ApiRequest['kind'],
    writeId: string,
    keyVersion: string,
    idempotencyKey?: string,
  ): ApiRequest {
    const request: ApiRequest = {
      n: this.requests.length,
      atMs: this.#clock.now(),
      kind,
      writeId,
      keyVersion,
      ...(idempotencyKey === undefined ? {} : { idempotencyKey }),
      outcome: 'pending',
    };
    this.requests.push(request);
    return request;
  }

  #admit(
    keyVersion: string,
  ): Extract<WriteOutcome, { kind: 'throttled' | 'authentication-failure' }> | undefined {
    if (this.revoked.has(keyVersion)) return { kind: 'authentication-failure', status: 401 };
    const { requestsPerSecond, burst } = this.#rules;
    const nowMs = this.#clock.now();
    const refilled = ((nowMs - this.#tokensAtMs) * requestsPerSecond) / 1000;
    this.#tokens = Math.min(burst, this.#tokens + refilled);
    this.#tokensAtMs = nowMs;
    if (this.#tokens < 1 - 1e-9) {
      const retryAfterSeconds = Math.ceil((1 - this.#tokens) / requestsPerSecond);
      return { kind: 'throttled', status: 429, retryAfterSeconds, waitSource: 'retry-after' };
    }
    this.#tokens -= 1;
    return undefined;
  }

  /** An `Idempotency-Key` counts for the API key that sent it: no specification says that it counts for others. */
  #carryOut(sent: SentWrite, writeId: string, keyVersion: string): WriteOutcome {
    const nowMs = this.#clock.now();
    const idempotencyKey =
      sent.idempotencyKey === undefined ? undefined : `${keyVersion} ${sent.idempotencyKey}`;
    const known = idempotencyKey === undefined ? undefined : this.#keys.get(idempotencyKey);
    if (known !== undefined && nowMs - known.atMs < this.#rules.idempotencyKeyMs) {
      return (
        known.answer ?? {
          kind: 'refused',
          reason: 'client-error',
          status: 409,
          message: 'In progress.',
        }
      );
    }
    const remembered: Remembered = { atMs: nowMs };
    if (idempotencyKey !== undefined) this.#keys.set(idempotencyKey, remembered);
    return this.#withTrouble(
      () => {
        const answer = this.#take(sent, writeId);
        remembered.answer = answer;
        return answer;
      },
      () => idempotencyKey !== undefined && this.#keys.delete(idempotencyKey),
    );
  }

  #withTrouble(effect: () => WriteOutcome, forget: () => void): WriteOutcome {
    const { errorAfterEffect, errorBeforeEffect, lateEffect, lateMs, untilMs } =
      this.#rules.troubles;
    const nowMs = this.#clock.now();
    const draw = nowMs < untilMs ? this.#random() : 1;
    if (draw < errorAfterEffect) {
      effect();
      return serverError();
    }
    if (draw < errorAfterEffect + errorBeforeEffect) {
      forget();
      return serverError();
    }
    if (draw < errorAfterEffect + errorBeforeEffect + lateEffect) {
      this.#clock.at(nowMs + this.#random() * lateMs, effect);
      return unclear('network');
    }
    return effect();
  }

  #take({ method, resource, bodyText }: SentWrite, writeId: string): WriteOutcome {
    const body = parseJson(bodyText);
    if (isJsonObject(body) && body['bad'] === true) {
      return { kind: 'refused', reason: 'client-error', status: 422, message: 'Bad.' };
    }
    const id = resource.split('/')[1] ?? `made-${this.effects.length}`;
    if (method === 'DELETE' && !this.records.delete(id)) {
      return NOT_FOUND;
    }
    if (method !== 'DELETE') this.records.set(id, writeId);
    this.effects.push({ writeId, atMs: this.#clock.now() });
    return { kind: 'done', status: 200, bodyText: JSON.stringify({ id }) };
  }
}

export function unclear(reason: 'network' | 'aborted', sent = true): WriteOutcome {
  return { kind: 'unclear', reason, sent, message: 'No answer came.' };
}

function serverError(): WriteOutcome {
  return {
    kind: 'unclear',
    reason: 'server-error',
    sent: true,
    status: 500,
    message: 'Status 500.',
  };
}

/** Deleted and replaced records are named after their write. */
function writeIdOf({ resource, bodyText }: SentWrite): string {
  const body = parseJson(bodyText);
  if (isJsonObject(body) && typeof body['reference'] === 'string') return body['reference'];
  return writeIdOfRecord(resource.split('/')[1] ?? '');
}

function writeIdOfRecord(id: string): string {
  return id.replace(/^record-/, '');
}
