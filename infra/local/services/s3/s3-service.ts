import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { type AwsService, answerWith } from '../../endpoint/aws-call.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { Access } from '../../iam/access.ts';
import type { Fauxqs } from '../fauxqs.ts';
import {
  BILLED_AS,
  deleteRequest,
  listRequest,
  type S3Call,
  s3CallOf,
  s3Request,
} from './s3-call.ts';
import { deleteMany } from './s3-delete-many.ts';
import { isLargePut, putLargeObject } from './s3-large-put.ts';

interface S3Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

/**
 * Amazon S3 for the callers of the endpoint. The engine reads the request itself; here
 * `If-None-Match: *` and `If-Match` of a write are enforced, which it ignores. Writes of one key
 * follow one another, so that of two conditional ones exactly one wins.
 */
export function s3Service(
  engine: Fauxqs,
  meterOf: MeterOf,
  access: Pick<Access, 'refusal'>,
): AwsService {
  const turns = new Turns();

  return async ({ caller, request, response }) => {
    const call = s3CallOf(request);
    if (call === undefined) {
      const message = `The local endpoint does not run ${request.method} ${request.url}; it runs ${Object.keys(BILLED_AS).join(', ')}.`;
      return refuse(request, response, { status: 501, code: 'NotImplemented', message });
    }
    const meter = meterOf(caller);
    meter.call(caller, 's3', call.action);
    meter.s3Request(BILLED_AS[call.action]);
    // As S3 does. It also makes the engine's own headers readable here: Node keeps them only when one
    // was set before (node:http, response.writeHead).
    response.setHeader('server', 'AmazonS3');
    if (call.action === 'DeleteObjects') {
      const answer = await deleteMany(engine, request, (key) =>
        access.refusal(caller, [deleteRequest(call, key)]),
      );
      return answerWith(response, answer.status, answer.body, XML_TYPE);
    }
    const isMissing = call.action === 'GetObject' && !(await etagOf(engine, call)).exists;
    const needed = isMissing ? [s3Request(call), listRequest(call.path)] : [s3Request(call)];
    const denial = access.refusal(caller, needed);
    if (denial !== undefined) {
      return refuse(request, response, { ...denial, status: 403, code: 'AccessDenied' });
    }
    if (call.action === 'PutObject') {
      await turns.after(call.path, () => put(engine, call, request, response));
    } else engine.routing(request, response);
  };
}

async function put(
  engine: Fauxqs,
  call: S3Call,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const refusal = await conditionRefusal(engine, call, request.headers);
  if (refusal !== undefined) return refuse(request, response, refusal);
  const closed = once(response, 'close');
  if (isLargePut(request.headers)) {
    response.setHeader('etag', await putLargeObject(engine, call.path, request));
    response.end();
  } else engine.routing(request, response);
  await closed;
}

async function conditionRefusal(
  engine: Fauxqs,
  call: S3Call,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
): Promise<S3Refusal | undefined> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    const message = 'The local endpoint runs If-None-Match with * alone.';
    return { status: 501, code: 'NotImplemented', message };
  }
  const { exists, etag } = await etagOf(engine, call);
  if (ifMatch !== undefined && !exists) {
    return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' };
  }
  const holds = ifMatch === undefined ? !exists : etag === unquoted(ifMatch);
  if (holds) return undefined;
  const message = 'At least one of the pre-conditions you specified did not hold';
  return { status: 412, code: 'PreconditionFailed', message };
}

async function etagOf(engine: Fauxqs, { path }: S3Call) {
  const head = await engine.inject({ method: 'HEAD', url: path });
  return { exists: head.statusCode === 200, etag: unquoted(head.headers.etag) };
}

/** Work on the same key, one after the other. */
class Turns {
  readonly #turns = new Map<string, Promise<void>>();

  async after(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (this.#turns.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => {});
    this.#turns.set(key, settled);
    await turn.finally(() => {
      if (this.#turns.get(key) === settled) this.#turns.delete(key);
    });
  }
}

const XML_TYPE = { 'content-type': 'application/xml' } as const;

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { status, code, message }: S3Refusal,
): void {
  request.resume();
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  answerWith(response, status, body, XML_TYPE);
}

function unquoted(etag: unknown): string {
  return String(etag).replaceAll('"', '');
}
