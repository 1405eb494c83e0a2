import type { IncomingHttpHeaders } from 'node:http';
import type { IamRequest } from '../../iam/request.ts';
import type { S3Action } from './s3-action.ts';

/** Where the permission has another name than the call (S3 user guide, "Required permissions for S3 API operations"). */
const PERMISSIONS: Readonly<Record<string, string>> = {
  ListObjectsV2: 'ListBucket',
  HeadBucket: 'ListBucket',
  HeadObject: 'GetObject',
  CopyObject: 'PutObject',
  CreateMultipartUpload: 'PutObject',
  UploadPart: 'PutObject',
  CompleteMultipartUpload: 'PutObject',
};
const VERSIONED = new Set(['GetObject', 'DeleteObject']);

/** What a call of Amazon S3 needs; `DeleteObjects` is asked for key by key, see `deleteRequest`. */
export function s3Requests(
  action: S3Action,
  url: string,
  headers: IncomingHttpHeaders,
): readonly IamRequest[] {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const bucket = bucketArn(pathname);
  if (bucket === undefined) {
    return [{ action: 's3:ListAllMyBuckets', resource: '*', context: {} }];
  }
  const name = PERMISSIONS[action.name] ?? action.name;
  const version = VERSIONED.has(name) && searchParams.has('versionId') ? 'Version' : '';
  const object = action.objectPath === undefined ? undefined : objectArn(action.objectPath);
  const own: IamRequest = {
    action: `s3:${name}${version}`,
    resource: object ?? bucket,
    context: name === 'ListBucket' ? listContext(searchParams) : {},
  };
  const source = headers['x-amz-copy-source'];
  return [
    own,
    ...(typeof source === 'string'
      ? [{ action: 's3:GetObject', resource: objectArn(source), context: {} }]
      : []),
    ...(headers['x-amz-tagging'] !== undefined
      ? [{ action: 's3:PutObjectTagging', resource: own.resource, context: {} }]
      : []),
  ];
}

/** What a caller needs to be told that an object does not exist; without it S3 answers 403, not 404. */
export function absenceRequest(objectPath: string): IamRequest {
  return { action: 's3:ListBucket', resource: bucketArn(objectPath) ?? '*', context: {} };
}

/** What deleting one of many objects needs. */
export function deleteRequest(url: string, key: string): IamRequest {
  const bucket = bucketArn(new URL(url, 'http://s3').pathname) ?? '*';
  return { action: 's3:DeleteObject', resource: `${bucket}/${key}`, context: {} };
}

function listContext(query: URLSearchParams): IamRequest['context'] {
  // Without a prefix every key is listed; AWS gives the key an empty value then.
  const delimiter = query.get('delimiter');
  return {
    's3:prefix': [query.get('prefix') ?? ''],
    ...(delimiter !== null && { 's3:delimiter': [delimiter] }),
  };
}

function bucketArn(pathname: string): string | undefined {
  const bucket = pathname.split('/')[1];
  return bucket ? `arn:aws:s3:::${bucket}` : undefined;
}

/** @param path `/bucket/key` as in a URL. */
function objectArn(path: string): string {
  const [plain = ''] = path.split('?');
  return `arn:aws:s3:::${decodeURIComponent(plain).replace(/^\//, '')}`;
}
