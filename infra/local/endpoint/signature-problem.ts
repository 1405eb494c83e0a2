import { hash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Authorization } from './authorization.ts';
import { signatureOf } from './signature.ts';

export interface SignatureRefusal {
  readonly kind: 'refused';
  readonly problem: SignatureProblem;
  /** That was called, as far as the request says it. */
  readonly service: string | undefined;
  readonly message: string;
}

interface Codes {
  /** Of the services that speak JSON (IAM user guide, "Troubleshoot signed requests"). */
  readonly json: string;
  /** Of Amazon S3 (API reference, "Error responses"), with its status. */
  readonly s3: readonly [code: string, status: number];
}

/** What may be wrong with a signature, by the codes that services give. */
export const SIGNATURE_PROBLEMS = {
  unsigned: { json: 'MissingAuthenticationToken', s3: ['AccessDenied', 403] },
  incomplete: { json: 'IncompleteSignature', s3: ['AuthorizationHeaderMalformed', 400] },
  'incomplete-query': {
    json: 'IncompleteSignature',
    s3: ['AuthorizationQueryParametersError', 400],
  },
  'two-signatures': { json: 'IncompleteSignature', s3: ['InvalidArgument', 400] },
  'unsigned-header': { json: 'IncompleteSignature', s3: ['AccessDenied', 403] },
  'unknown-caller': { json: 'UnrecognizedClientException', s3: ['InvalidAccessKeyId', 403] },
  expired: { json: 'InvalidSignatureException', s3: ['RequestTimeTooSkewed', 403] },
  // A presigned URL whose time is over, or has not begun.
  'url-not-valid-now': { json: 'InvalidSignatureException', s3: ['AccessDenied', 403] },
  mismatch: { json: 'InvalidSignatureException', s3: ['SignatureDoesNotMatch', 403] },
  'other-body': { json: 'InvalidSignatureException', s3: ['XAmzContentSHA256Mismatch', 400] },
  'body-not-verifiable': { json: 'InvalidSignatureException', s3: ['NotImplemented', 501] },
} as const satisfies Readonly<Record<string, Codes>>;

/** The same of the query protocol, where it has another name (common errors in the API references of its services). */
const QUERY_CODES: ReadonlyMap<string, string> = new Map([
  ['UnrecognizedClientException', 'InvalidClientTokenId'],
  ['InvalidSignatureException', 'SignatureDoesNotMatch'],
]);

/** What a service of the query protocol calls it. */
export function queryCodeOf(problem: SignatureProblem): string {
  const { json } = SIGNATURE_PROBLEMS[problem];
  return QUERY_CODES.get(json) ?? json;
}

type SignatureProblem = keyof typeof SIGNATURE_PROBLEMS;

/** Of the signature's date, either way (Amazon S3 API reference, RequestTimeTooSkewed). */
const MAX_SKEW_MS = 15 * 60 * 1000;

/** What Amazon S3 takes in place of the body's hash ("Signature calculations for the Authorization header"). */
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const UNSIGNED_BODIES: ReadonlySet<string> = new Set([
  UNSIGNED,
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
]);

/** What is wrong with the head of a request, whoever sent it. */
export function problemOfHead(
  given: Authorization,
  { headers }: IncomingMessage,
  ownRegion: string,
  nowMs: number,
): SignatureRefusal | undefined {
  const { amzDate, scopeDate, region, service, signedHeaders } = given;
  const unsigned = Object.keys(headers).find(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (unsigned !== undefined) {
    const message = `There were headers present in the request which were not signed: ${unsigned}`;
    return refused('unsigned-header', service, message);
  }
  if (region !== ownRegion || scopeDate !== amzDate.slice(0, 8)) {
    const expected = `${amzDate.slice(0, 8)} and ${ownRegion}`;
    return refused('mismatch', service, `Credential should be scoped to ${expected}.`);
  }
  return problemOfTime(given, nowMs);
}

function problemOfTime(
  { amzDate, service, expiresSeconds }: Authorization,
  nowMs: number,
): SignatureRefusal | undefined {
  const signedAtMs = timeOf(amzDate);
  if (expiresSeconds !== undefined) {
    if (nowMs - signedAtMs > expiresSeconds * 1000) {
      return refused('url-not-valid-now', service, 'Request has expired');
    }
    if (signedAtMs - nowMs <= MAX_SKEW_MS) return undefined;
    return refused('url-not-valid-now', service, 'Request is not yet valid');
  }
  if (Math.abs(signedAtMs - nowMs) <= MAX_SKEW_MS) return undefined;
  const nowText = new Date(nowMs).toISOString();
  return refused(
    'expired',
    service,
    `Signature expired: ${amzDate} is over 15 minutes from ${nowText}.`,
  );
}

export async function problemOfSignature(
  given: Authorization,
  { method = '', url = '/', headers, headersDistinct }: IncomingMessage,
  body: Uint8Array,
  secretAccessKey: string,
): Promise<SignatureRefusal | undefined> {
  const { service, region, amzDate, signedHeaders, signature } = given;
  const bodyHash = hash('sha256', body);
  const said = saidHash(given, headers, bodyHash);
  const request = {
    method,
    target: url,
    headers: Object.fromEntries(
      signedHeaders.map((name) => [name, (headersDistinct[name] ?? []).join(',')]),
    ),
    payloadHash: said,
  };
  const scope = { signedAtMs: timeOf(amzDate), region, service };
  const expected = await signatureOf(request, scope, secretAccessKey);
  if (!timingSafeEqual(signature, Buffer.from(expected, 'hex'))) {
    const message =
      'The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method.';
    return refused('mismatch', service, message);
  }
  if (said === bodyHash || UNSIGNED_BODIES.has(said)) return undefined;
  return /^[0-9a-f]{64}$/.test(said)
    ? refused('other-body', service, 'x-amz-content-sha256 is not the hash of the body.')
    : refused('body-not-verifiable', service, `The local endpoint does not run ${said}.`);
}

/** What the signature covers in place of the body. */
function saidHash(
  { service, expiresSeconds }: Authorization,
  headers: IncomingMessage['headers'],
  bodyHash: string,
): string {
  // Other services hash the body themselves.
  if (service !== 's3') return bodyHash;
  return expiresSeconds === undefined ? String(headers['x-amz-content-sha256']) : UNSIGNED;
}

function timeOf(amzDate: string): number {
  return Date.parse(
    amzDate.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  );
}

export function refused(
  problem: SignatureProblem,
  service: string | undefined,
  message: string,
): SignatureRefusal {
  return { kind: 'refused', problem, service, message };
}
