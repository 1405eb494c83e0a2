import { createHmac, hash } from 'node:crypto';

/** What a signature covers of a request. */
export interface SignedRequest {
  readonly method: string;
  /** Path and query, as they were sent. */
  readonly target: string;
  /** The headers that are signed, in lower case, each with its values. */
  readonly headers: readonly (readonly [name: string, values: readonly string[]])[];
  /** SHA-256 of the body in hex, or what Amazon S3 takes in its place. */
  readonly payloadHash: string;
}

export interface SignatureScope {
  /** `20260301T120000Z` */
  readonly amzDate: string;
  readonly region: string;
  readonly service: string;
}

export const ALGORITHM = 'AWS4-HMAC-SHA256';

/** The signature of a request (IAM user guide, "Create a signed AWS API request"). @returns 32 bytes. */
export function signatureOf(
  request: SignedRequest,
  scope: SignatureScope,
  secretAccessKey: string,
): Buffer {
  const { amzDate, region, service } = scope;
  const text = [
    ALGORITHM,
    amzDate,
    credentialScope(scope),
    hash('sha256', canonicalRequest(request, service)),
  ].join('\n');
  const key = [amzDate.slice(0, 8), region, service, 'aws4_request'].reduce<string | Buffer>(
    (secret, part) => hmac(secret, part),
    `AWS4${secretAccessKey}`,
  );
  return hmac(key, text);
}

/** `20260301/us-east-1/sqs/aws4_request` */
export function credentialScope({ amzDate, region, service }: SignatureScope): string {
  return `${amzDate.slice(0, 8)}/${region}/${service}/aws4_request`;
}

function canonicalRequest(
  { method, target, headers, payloadHash }: SignedRequest,
  service: string,
): string {
  const [path, query] = pathAndQuery(target);
  const sorted = headers.toSorted(([a], [b]) => compare(a, b));
  const lines = sorted.map(([name, values]) => `${name}:${values.map(trimmed).join(',')}\n`);
  return [
    method,
    // Only Amazon S3 takes the path as it was sent.
    service === 's3' ? path : encoded(withoutDots(path)).replaceAll('%2F', '/'),
    canonicalQuery(query),
    lines.join(''),
    sorted.map(([name]) => name).join(';'),
    payloadHash,
  ].join('\n');
}

export function pathAndQuery(target = '/'): readonly [path: string, query: string] {
  const [path = '', query = ''] = target.split(/\?(.*)/s);
  return [path, query];
}

function canonicalQuery(query: string): string {
  return query
    .split('&')
    .filter((part) => part !== '')
    .map((part) => {
      const [name = '', ...value] = part.split('=');
      return [encoded(decoded(name)), encoded(decoded(value.join('=')))] as const;
    })
    .sort(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map((pair) => pair.join('='))
    .join('&');
}

/** RFC 3986 section 5.2.4; repeated slashes are one. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') kept.pop();
    else if (segment !== '.' && segment !== '') kept.push(segment);
  }
  const end = kept.length > 0 && path.endsWith('/') ? '/' : '';
  return `/${kept.join('/')}${end}`;
}

/** Everything but the unreserved characters of RFC 3986 section 2.3. */
function encoded(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function trimmed(value: string): string {
  return value.trim().replace(/ +/g, ' ');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
