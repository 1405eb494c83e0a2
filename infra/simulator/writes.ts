import { createHash } from 'node:crypto';
import { defined } from '../../lib/defined.ts';
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import { isJsonObject, membersOf } from './json-text.ts';
import type { RecordList } from './record-list.ts';
import type { Effect } from './request-log.ts';

/** A write as it arrived. */
export interface WriteRequest {
  readonly method: string;
  readonly path: string;
  readonly resource: string;
  /** Undefined: the collection. */
  readonly recordId: string | undefined;
  readonly contentType: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** Value of `X-Reference`. */
  readonly reference: string | undefined;
  readonly body: string;
  readonly at: number;
}

export interface WriteOutcome {
  readonly answer: Answer;
  /** Absent when nothing happened: refused, or replayed from an earlier write. */
  readonly effect?: Omit<Effect, 'id'>;
}

/** Answers by `Idempotency-Key`, of one organization. */
export type WriteMemory = Map<string, { readonly fingerprint: string; readonly answer: Answer }>;

/**
 * Carries out a write. The same `Idempotency-Key` with the same request answers again what was answered
 * first and does nothing; with another request it is refused (draft-ietf-httpapi-idempotency-key-header).
 */
export function write(request: WriteRequest, list: RecordList, memory: WriteMemory): WriteOutcome {
  const { idempotencyKey } = request;
  if (idempotencyKey === undefined) return carryOut(request, list);
  const { method, path, body } = request;
  const fingerprint = createHash('sha256').update(`${method} ${path}\n${body}`).digest('hex');
  const first = memory.get(idempotencyKey);
  if (first === undefined) {
    const outcome = carryOut(request, list);
    memory.set(idempotencyKey, { fingerprint, answer: outcome.answer });
    return outcome;
  }
  if (first.fingerprint === fingerprint) return { answer: replayed(first.answer) };
  return {
    answer: errorAnswer(
      409,
      'idempotency_conflict',
      'This Idempotency-Key was used with another request.',
    ),
  };
}

function replayed(answer: Answer): Answer {
  return { ...answer, headers: [...answer.headers, ['Idempotency-Replayed', 'true']] };
}

function carryOut(request: WriteRequest, list: RecordList): WriteOutcome {
  if (request.method === 'DELETE') return remove(request, list);
  const refusal = refusalOf(request);
  if (refusal !== undefined) return { answer: refusal };
  const members = membersOf(request.body);
  if (request.method === 'POST') {
    const text = list.insert(request.at, list.size, members);
    const id = membersOf(text).get('id') ?? '';
    const location = ['Location', `${request.path}/${id}`] as const;
    return done(request, id, 'created', jsonAnswer(201, text, [location]), members);
  }
  const id = request.recordId ?? '';
  const merges = request.method === 'PATCH';
  const text = merges ? list.merge(request.at, id, members) : list.replace(request.at, id, members);
  if (text === undefined) return { answer: notFound() };
  return done(request, id, merges ? 'merged' : 'replaced', jsonAnswer(200, text), members);
}

function remove(request: WriteRequest, list: RecordList): WriteOutcome {
  const id = request.recordId ?? '';
  if (list.remove(request.at, id) === undefined) return { answer: notFound() };
  const answer: Answer = { status: 204, headers: [], body: Buffer.alloc(0) };
  return done(request, id, 'deleted', answer, new Map());
}

function refusalOf({ contentType, body }: WriteRequest): Answer | undefined {
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? '')) {
    return errorAnswer(415, 'unsupported_media_type', 'Expected Content-Type: application/json.');
  }
  if (!isJsonObject(body)) {
    return errorAnswer(400, 'malformed_json', 'Expected a JSON object as body.');
  }
  return undefined;
}

export function notFound(): Answer {
  return errorAnswer(404, 'not_found', 'There is nothing at this address.');
}

function done(
  request: WriteRequest,
  recordId: string,
  action: Effect['action'],
  answer: Answer,
  members: ReadonlyMap<string, string>,
): WriteOutcome {
  const { idempotencyKey, resource } = request;
  const reference = request.reference ?? textOf(members.get('reference'));
  return {
    answer,
    effect: {
      action,
      resource,
      recordId,
      ...defined({ idempotencyKey, reference }),
    },
  };
}

function textOf(json: string | undefined): string | undefined {
  if (json === undefined || json === 'null') return undefined;
  return json.startsWith('"') ? String(JSON.parse(json)) : json;
}
