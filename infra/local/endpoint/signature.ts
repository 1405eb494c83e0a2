import { S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';

/** What a signature covers of a request. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** The headers that are signed, in lower case, each with its value. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex, or what Amazon S3 takes in its place. */
  readonly payloadHash: string;
}

export interface SignatureScope {
  readonly signedAtMs: number;
  readonly region: string;
  readonly service: string;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The SDK hands it to its clients alone. */
const { sha256 } = new S3Client({ region: 'none' }).config;

/** What the signer adds to the headers of a request; it is signed where whoever sent the request has signed it. */
const ADDED = new Set(['x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token']);

/**
 * The signature of a request, as the AWS SDK makes it, which leaves the header `Date` out: one that covers it, as other
 * signers may, does not fit here. @returns 64 hex digits.
 */
export async function signatureOf(
  { method, target, headers, payloadHash }: SignedRequest,
  { signedAtMs, region, service }: SignatureScope,
  secretAccessKey: string,
): Promise<string> {
  const signer = new SignatureV4({
    ...{ region, service, sha256 },
    credentials: { accessKeyId: '', secretAccessKey },
    // Only Amazon S3 takes the path as it was sent.
    uriEscapePath: service !== 's3',
  });
  const [path, query] = pathAndQuery(target);
  const request = {
    ...{ method, path, query: queryOf(query) },
    headers: { ...headers, 'x-amz-content-sha256': payloadHash },
    // Both are in the header Host.
    ...{ protocol: 'http:', hostname: '' },
  };
  const signed = await signer.sign(request, {
    signingDate: new Date(signedAtMs),
    signableHeaders: new Set(Object.keys(headers)),
    unsignableHeaders: ADDED,
  });
  return signed.headers['authorization']?.slice(-64) ?? '';
}

export function pathAndQuery(target = '/'): readonly [path: string, query: string] {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  return [path, query];
}

/** A name may be there several times, and a plus stands for itself. */
function queryOf(query: string): Record<string, string[]> {
  const parameters = new URLSearchParams(query.replaceAll('+', '%2B'));
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}
