import { hash } from 'node:crypto';
import { defined } from '../../lib/defined.ts';
import { isJsonObject, parseJson } from '../../lib/json/json-value.ts';
import { type Answer, errorAnswer, jsonAnswer } from './answer.ts';
import { membersOf, textOf } from './json-text.ts';
import type { RecordList } from './record-list.ts';
import type { Effect } from './request-log.ts';

export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly header: (name: string) => string | undefined;
  readonly body: string;
  readonly at: number;
}

interface WriteRequest extends ReceivedRequest {
  readonly resource: string;
  /** Undefined: the collection. */
  readonly recordId: string | undefined;
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
  const idempotencyKey = request.header('idempotency-key');
  if (idempotencyKey === undefined) return carryOut(request, list);
  const { method, path, body } = request;
  const fingerprint = hash('sha256', `${method} ${path}\n${body}`);
  const first = memory.get(idempotencyKey);
  if (first === undefined) {
    const outcome = carryOut(request, list);
    memory.set(idempotencyKey, { fingerprint, answer: outcome.answer });
    return outcome;
  }
  if (first.fingerprint !== fingerprint) {
    const message = 'This Idempotency-Key was used with another request.';
    return { answer: errorAnswer(409, 'idempotency_conflict', message) };
  }
  const { headers } = first.answer;
  return { answer: { ...first.answer, headers: [...headers, ['Idempotency-Replayed', 'true']] } };
}

function carryOut(request: WriteRequest, list: RecordList): WriteOutcome {
  const { method, path, at, recordId: id = '' } = request;
  if (method === 'DELETE') {
    if (list.remove(at, id) === undefined) return { answer: notFound() };
    const answer: Answer = { status: 204, headers: [], body: Buffer.alloc(0) };
    return { answer, effect: effectOf(request, id, 'deleted') };
  }
  const refusal = refusalOf(request);
  if (refusal !== undefined) return { answer: refusal };
  const members = membersOf(request.body);
  if (method === 'POST') {
    const text = list.insert(at, members);
    const created = textOf(membersOf(text).get('id')) ?? '';
    const answer = jsonAnswer(201, text, [['Location', `${path}/${created}`]]);
    return { answer, effect: effectOf(request, created, 'created', members) };
  }
  const merges = method === 'PATCH';
  const text = merges ? list.merge(at, id, members) : list.replace(at, id, members);
  if (text === undefined) return { answer: notFound() };
  const effect = effectOf(request, id, merges ? 'merged' : 'replaced', members);
  return { answer: jsonAnswer(200, text), effect };
}

function refusalOf({ header, body }: WriteRequest): Answer | undefined {
  if (!/^application\/json\s*(;|$)/i.test(header('content-type') ?? '')) {
    return errorAnswer(415, 'unsupported_media_type', 'Expected Content-Type: application/json.');
  }
  if (isJsonObject(parseJson(body))) return undefined;
  return errorAnswer(400, 'malformed_json', 'Expected a JSON object as body.');
}

export function notFound(): Answer {
  return errorAnswer(404, 'not_found', 'There is nothing at this address.');
}

function effectOf(
  { resource, header }: WriteRequest,
  recordId: string,
  action: Effect['action'],
  members: ReadonlyMap<string, string> = new Map(),
): Omit<Effect, 'id'> {
  const idempotencyKey = header('idempotency-key');
  const reference = header('x-reference') ?? textOf(members.get('reference'));
  return { action, resource, recordId, ...defined({ idempotencyKey, reference }) };
}
