/** A request of Amazon S3, told apart by method, path and query. */
export interface S3Action {
  readonly name: string;
  /** How AWS bills it. */
  readonly billedAs: 'put' | 'get' | 'free';
  /** `/bucket/key` as in the URL; `undefined` for a bucket or the service. */
  readonly objectPath: string | undefined;
}

/** Reads which action a path-style request is (Amazon S3 API reference). */
export function s3ActionOf(method: string, url: string, copySource: boolean): S3Action {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const key = pathname.split('/').slice(2).join('/');
  if (key === '') return { ...bucketAction(method, searchParams), objectPath: undefined };
  return { ...objectAction(method, searchParams, copySource), objectPath: pathname };
}

function bucketAction(method: string, query: URLSearchParams): Omit<S3Action, 'objectPath'> {
  if (method === 'POST' && query.has('delete')) return { name: 'DeleteObjects', billedAs: 'free' };
  if (method === 'GET') return { name: 'ListObjectsV2', billedAs: 'put' };
  if (method === 'HEAD') return { name: 'HeadBucket', billedAs: 'get' };
  if (method === 'DELETE') return { name: 'DeleteBucket', billedAs: 'free' };
  return { name: 'CreateBucket', billedAs: 'put' };
}

function objectAction(
  method: string,
  query: URLSearchParams,
  copySource: boolean,
): Omit<S3Action, 'objectPath'> {
  if (method === 'GET') return { name: 'GetObject', billedAs: 'get' };
  if (method === 'HEAD') return { name: 'HeadObject', billedAs: 'get' };
  if (method === 'DELETE') {
    const name = query.has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
    return { name, billedAs: 'free' };
  }
  if (method === 'POST') {
    const name = query.has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
    return { name, billedAs: 'put' };
  }
  if (query.has('uploadId')) return { name: 'UploadPart', billedAs: 'put' };
  return { name: copySource ? 'CopyObject' : 'PutObject', billedAs: 'put' };
}
