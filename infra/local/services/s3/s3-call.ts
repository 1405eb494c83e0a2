import type { IncomingMessage } from 'node:http';
import { PRESIGNED_PARAMETERS } from '../../endpoint/authorization.ts';
import type { IamRequest } from '../../iam/request.ts';

/** A request of Amazon S3 that is run here. */
export interface S3Call {
  readonly action: keyof typeof BILLED_AS;
  /** `/bucket` or `/bucket/key` as in the URL. */
  readonly path: string;
}

/** How AWS bills each action that is run here; every other one is refused. */
export const BILLED_AS = {
  PutObject: 's3PutLike',
  GetObject: 's3GetLike',
  ListObjectsV2: 's3PutLike',
  DeleteObjects: 'free',
} as const;

/** Headers that say nothing of the object, or what the engine keeps of it. */
const KNOWN_HEADERS =
  /^x-amz-(content-sha256|date|security-token|user-agent|te|trailer|sdk-.+|checksum-.+|decoded-content-length|meta-.+)$/;

/** The SDK repeats the action's name in the first one; the others are a presigned URL's, whose signature was checked. */
const NOT_OF_THE_CALL = [
  'x-id',
  ...PRESIGNED_PARAMETERS,
  'X-Amz-Content-Sha256',
  'X-Amz-Security-Token',
] as const;

/** Reads a path-style request (Amazon S3 API reference); `undefined` when it is not run here. */
export function s3CallOf({ method, url = '/', headers }: IncomingMessage): S3Call | undefined {
  const isUnknown = (name: string) => name.startsWith('x-amz-') && !KNOWN_HEADERS.test(name);
  if (Object.keys(headers).some(isUnknown)) return undefined;
  const { pathname: path, searchParams } = new URL(url, 'http://s3');
  for (const name of NOT_OF_THE_CALL) searchParams.delete(name);
  const [, bucket = '', ...key] = path.split('/');
  if (bucket === '') return undefined;
  if (key.join('/') === '') {
    if (method === 'GET' && searchParams.get('list-type') === '2') {
      return { action: 'ListObjectsV2', path: `/${bucket}` };
    }
    const isDelete = method === 'POST' && [...searchParams.keys()].join() === 'delete';
    return isDelete ? { action: 'DeleteObjects', path: `/${bucket}` } : undefined;
  }
  if (searchParams.size > 0) return undefined;
  if (method === 'PUT') return { action: 'PutObject', path };
  return method === 'GET' ? { action: 'GetObject', path } : undefined;
}

/** What a call needs; `DeleteObjects` is asked for key by key, see {@link deleteRequest}. */
export function s3Request({ action, path }: S3Call): IamRequest {
  return action === 'ListObjectsV2'
    ? listRequest(path)
    : { action: `s3:${action}`, resource: arnOf(path) };
}

/** What reading a missing object needs too: without it S3 answers 403, not 404 (API reference, GetObject). */
export function listRequest(path: string): IamRequest {
  return { action: 's3:ListBucket', resource: arnOf(`/${path.split('/')[1]}`) };
}

/** What deleting one of many objects needs. */
export function deleteRequest({ path }: S3Call, key: string): IamRequest {
  return { action: 's3:DeleteObject', resource: `${arnOf(path)}/${key}` };
}

function arnOf(path: string): string {
  return `arn:aws:s3:::${decodeURIComponent(path.slice(1))}`;
}
