import type { IncomingHttpHeaders } from 'node:http';
import type { Fauxqs } from '../fauxqs.ts';

/** The engine takes bodies of up to 11 MiB; S3 takes up to 5 GiB in one PUT. */
const ENGINE_BODY_BYTES = 8 * 1024 * 1024;

/** What an object keeps of the request that stored it. */
const KEPT_HEADERS =
  /^(content-(type|encoding|disposition|language)|cache-control|expires|x-amz-meta-.+)$/;

/** Whether a PUT has to be taken apart for the engine. Bodies in `aws-chunked` form go to it as they are. */
export function isLargePut(headers: IncomingHttpHeaders, body: Buffer): boolean {
  const isChunked = headers['content-encoding']?.includes('aws-chunked') === true;
  return !isChunked && body.length > ENGINE_BODY_BYTES;
}

/**
 * Stores a large object as a multipart upload, which the engine knows.
 *
 * @returns The object's ETag, quoted as S3 does.
 * @throws Error with what the engine answered instead.
 */
export async function putLargeObject(
  engine: Fauxqs,
  objectPath: string,
  { headers, body }: { readonly headers: IncomingHttpHeaders; readonly body: Buffer },
): Promise<string> {
  const kept = Object.entries(headers).filter(([name]) => KEPT_HEADERS.test(name));
  const created = await engine.inject({
    method: 'POST',
    url: `${objectPath}?uploads`,
    headers: Object.fromEntries(kept),
  });
  const uploadId = xmlText(created.payload, 'UploadId');
  const etags: string[] = [];
  for (let at = 0; at < body.length; at += ENGINE_BODY_BYTES) {
    const piece = body.subarray(at, at + ENGINE_BODY_BYTES);
    const query = new URLSearchParams({ partNumber: String(etags.length + 1), uploadId });
    const url = `${objectPath}?${query}`;
    const type = { 'content-type': 'application/octet-stream' };
    const stored = await engine.inject({ method: 'PUT', url, headers: type, payload: piece });
    etags.push(String(stored.headers.etag));
  }
  const parts = etags.map(
    (etag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  );
  const completed = await engine.inject({
    method: 'POST',
    url: `${objectPath}?${new URLSearchParams({ uploadId })}`,
    headers: { 'content-type': 'application/xml' },
    payload: `<CompleteMultipartUpload>${parts.join('')}</CompleteMultipartUpload>`,
  });
  return xmlText(completed.payload, 'ETag').replaceAll('&quot;', '"');
}

function xmlText(xml: string, tag: string): string {
  const text = new RegExp(`<${tag}>([^<]*)</${tag}>`).exec(xml)?.[1];
  if (text === undefined) throw new Error(`The S3 engine answered without ${tag}`);
  return text;
}
