import type { IncomingHttpHeaders } from 'node:http';
import {
  type AwsCall,
  type AwsService,
  answerXml,
  answerXmlError,
  type XmlError,
} from '../../endpoint/aws-call.ts';
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
import { isLargePut, putLargeObject } from './s3-large-put.ts';

/**
 * Amazon S3 for the callers of the endpoint. The engine does what it knows; here `If-None-Match: *` and `If-Match`
 * of a write are enforced, which it ignores. Writes of one key follow one another, so that of two conditional ones
 * exactly one wins.
 */
export function s3Service(
  engine: Fauxqs,
  meterOf: MeterOf,
  access: Pick<Access, 'refusal'>,
): AwsService {
  const turns = new Turns();

  return async (awsCall) => {
    const { caller, request, body, response } = awsCall;
    const call = s3CallOf(request);
    if (call === undefined) {
      const message = `The local endpoint does not run ${request.method} ${request.url}; it runs ${Object.keys(BILLED_AS).join(', ')}.`;
      return answerXmlError(response, { status: 501, code: 'NotImplemented', message });
    }
    const meter = meterOf(caller);
    meter.call(caller, 's3', call.action);
    const unit = BILLED_AS[call.action];
    if (unit !== 'free') meter.bill(unit);
    // As S3 does. It also makes the engine's own headers readable here: Node keeps them only when one
    // was set before (node:http, response.writeHead).
    response.setHeader('server', 'AmazonS3');
    if (call.action === 'DeleteObjects') {
      const asked = { target: request.url ?? '/', body: body.toString() };
      const isRefused = (key: string) =>
        access.refusal(caller, [deleteRequest(call, key)]) !== undefined;
      const answer = await deleteMany(engine, asked, isRefused);
      return answerXml(response, answer.status, answer.body);
    }
    const isMissing = call.action === 'GetObject' && !(await etagOf(engine, call.path)).exists;
    const needed = isMissing ? [s3Request(call), listRequest(call.path)] : [s3Request(call)];
    const denial = access.refusal(caller, needed);
    if (denial !== undefined) {
      return answerXmlError(response, { ...denial, status: 403, code: 'AccessDenied' });
    }
    if (call.action === 'PutObject') {
      await turns.after(call.path, () => put(engine, call, awsCall));
    } else engine.routing(request, response);
  };
}

async function put(
  engine: Fauxqs,
  { path }: S3Call,
  { request: { headers }, body, response }: AwsCall,
): Promise<void> {
  const refusal = await conditionRefusal(engine, path, headers);
  if (refusal !== undefined) return answerXmlError(response, refusal);
  if (isLargePut(headers, body)) {
    response.setHeader('etag', await putLargeObject(engine, path, { headers, body }));
    response.end();
    return;
  }
  const answer = await engine.inject({ method: 'PUT', url: path, headers, payload: body });
  response.writeHead(answer.statusCode, answer.headers);
  response.end(answer.rawPayload);
}

async function conditionRefusal(
  engine: Fauxqs,
  path: string,
  { 'if-match': ifMatch, 'if-none-match': ifNoneMatch }: IncomingHttpHeaders,
): Promise<XmlError | undefined> {
  if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
  if (ifNoneMatch !== undefined && ifNoneMatch !== '*') {
    const message = 'The local endpoint runs If-None-Match with * alone.';
    return { status: 501, code: 'NotImplemented', message };
  }
  const { exists, etag } = await etagOf(engine, path);
  if (ifMatch !== undefined && !exists) {
    return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' };
  }
  const holds = ifMatch === undefined ? !exists : etag === unquoted(ifMatch);
  if (holds) return undefined;
  const message = 'At least one of the pre-conditions you specified did not hold';
  return { status: 412, code: 'PreconditionFailed', message };
}

async function etagOf(engine: Fauxqs, path: string) {
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

function unquoted(etag: unknown): string {
  return String(etag).replaceAll('"', '');
}

/** As it is written in XML. */
const KEY = /<Key>([^<]*)<\/Key>/g;

/**
 * Deletes many objects of a bucket. Where one of them may not be deleted, none is: S3 keeps that one alone (API reference,
 * DeleteObjects), but the functions delete what is below one prefix.
 *
 * @param request Path and query, and its XML.
 * @param isRefused Whether this key may not be deleted.
 */
async function deleteMany(
  engine: Fauxqs,
  request: { readonly target: string; readonly body: string },
  isRefused: (key: string) => boolean,
): Promise<{ readonly status: number; readonly body: string }> {
  const { target: url, body: payload } = request;
  const refused = [...payload.matchAll(KEY)].filter(([, key = '']) => isRefused(key));
  if (refused.length > 0) {
    const about = '<Code>AccessDenied</Code><Message>Access Denied</Message>';
    const errors = refused.map(([key]) => `<Error>${key}${about}</Error>`);
    return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` };
  }
  const headers = { 'content-type': 'application/xml' };
  const answer = await engine.inject({ method: 'POST', url, headers, payload });
  return { status: answer.statusCode, body: answer.payload };
}
