import { once } from 'node:events';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import type { AwsService } from '../../endpoint/aws-call.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { Access } from '../../iam/access.ts';
import type { QueueEngine } from '../sqs/sqs-engine.ts';
import { type S3Action, s3ActionOf } from './s3-action.ts';
import { deleteMany } from './s3-delete-many.ts';
import { isLargePut, putLargeObject } from './s3-large-put.ts';
import { absenceRequest, deleteRequest, s3Requests } from './s3-requests.ts';

/** A condition of a write that does not hold, or that this endpoint does not enforce. */
interface S3Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

const CONDITIONAL_WRITES = new Set(['PutObject', 'CompleteMultipartUpload']);
const READS = new Set(['GetObject', 'HeadObject']);
const WRITES = new Set([...CONDITIONAL_WRITES, 'CopyObject', 'DeleteObject']);

/**
 * Amazon S3 for the callers of the endpoint. The engine reads the request itself; here
 * `If-None-Match: *` and `If-Match` of a write are enforced, which it ignores. Writes of one key
 * follow one another, so that of two conditional ones exactly one wins.
 */
export function s3Service(
  engine: QueueEngine,
  meterOf: MeterOf,
  access: Pick<Access, 'refusal'>,
): AwsService {
  const turns = new Map<string, Promise<void>>();

  return async ({ caller, request, response }) => {
    const { method = 'GET', url = '/', headers } = request;
    const action = s3ActionOf(method, url, headers['x-amz-copy-source'] !== undefined);
    const meter = meterOf(caller);
    meter.call(caller, 's3', action.name);
    // As S3 does. It also makes the engine's own headers readable here: Node keeps them only when one
    // was set before (node:http, response.writeHead).
    response.setHeader('server', 'AmazonS3');
    response.once('close', () => {
      const bytesIn = Number(
        headers['x-amz-decoded-content-length'] ?? headers['content-length'] ?? 0,
      );
      const bytesOut = method === 'HEAD' ? 0 : Number(response.getHeader('content-length') ?? 0);
      meter.s3Transfer(action.billedAs, bytesIn, bytesOut);
    });
    if (action.name === 'DeleteObjects') {
      const answer = await deleteMany(engine, request, (key) =>
        access.refusal(caller, [deleteRequest(url, key)]),
      );
      answerXml(response, answer.status, answer.body);
      return;
    }
    const denial =
      access.refusal(caller, s3Requests(action, url, headers)) ??
      (await absenceDenial(caller, action));
    if (denial !== undefined) {
      request.resume();
      refuse(response, { status: 403, code: 'AccessDenied', message: denial.message });
      return;
    }
    if (action.objectPath === undefined || !WRITES.has(action.name)) {
      engine.routing(request, response);
      return;
    }
    const { objectPath } = action;
    await inTurn(objectPath, async () => {
      const refusal = await refusalOf(action, headers);
      if (refusal !== undefined) {
        request.resume();
        refuse(response, refusal);
        return;
      }
      const closed = once(response, 'close');
      if (isLargePut(action.name, headers)) {
        response.setHeader('etag', await putLargeObject(engine, objectPath, request));
        response.end();
      } else engine.routing(request, response);
      await closed;
    });
  };

  /** Who may not list a bucket is not told that an object is missing (API reference, GetObject). */
  async function absenceDenial(caller: string, { name, objectPath }: S3Action) {
    if (objectPath === undefined || !READS.has(name)) return undefined;
    const head = await engine.inject({ method: 'HEAD', url: objectPath });
    return head.statusCode === 404
      ? access.refusal(caller, [absenceRequest(objectPath)])
      : undefined;
  }

  async function refusalOf(
    { name, objectPath = '' }: S3Action,
    headers: IncomingHttpHeaders,
  ): Promise<S3Refusal | undefined> {
    const ifMatch = headers['if-match'];
    const ifNoneMatch = headers['if-none-match'];
    if (ifMatch === undefined && ifNoneMatch === undefined) return undefined;
    if (!CONDITIONAL_WRITES.has(name) || (ifNoneMatch !== undefined && ifNoneMatch !== '*')) {
      const message = `The local endpoint does not run this condition on ${name}.`;
      return { status: 501, code: 'NotImplemented', message };
    }
    const head = await engine.inject({ method: 'HEAD', url: objectPath });
    const exists = head.statusCode === 200;
    if (ifMatch !== undefined && !exists) {
      return { status: 404, code: 'NoSuchKey', message: 'The specified key does not exist.' };
    }
    const holds =
      ifNoneMatch === undefined ? unquoted(head.headers.etag) === unquoted(ifMatch) : !exists;
    if (holds) return undefined;
    const message = 'At least one of the pre-conditions you specified did not hold';
    return { status: 412, code: 'PreconditionFailed', message };
  }

  async function inTurn(key: string, work: () => Promise<void>): Promise<void> {
    const turn = (turns.get(key) ?? Promise.resolve()).then(work, work);
    const settled = turn.catch(() => {});
    turns.set(key, settled);
    await turn.finally(() => {
      if (turns.get(key) === settled) turns.delete(key);
    });
  }
}

function refuse(response: ServerResponse, { status, code, message }: S3Refusal): void {
  const text = message.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${text}</Message></Error>`;
  answerXml(response, status, body);
}

function answerXml(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/xml',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}

function unquoted(etag: unknown): string {
  return String(etag).replaceAll('"', '');
}
