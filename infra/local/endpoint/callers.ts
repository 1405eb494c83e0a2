import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { type Authorization, authorizationOf } from './authorization.ts';
import { sha256, signatureOf } from './signature.ts';

/** Made for one caller of one run. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role; a person has none. */
  readonly sessionToken?: string;
}

export interface SignatureRefusal {
  readonly kind: 'refused';
  readonly problem: SignatureProblem;
  /** That was called, as far as the request says it. */
  readonly service: string | undefined;
  readonly message: string;
}

export type SignatureProblem =
  | 'unsigned'
  | 'incomplete'
  | 'incomplete-query'
  | 'two-signatures'
  | 'unsigned-header'
  | 'unknown-caller'
  | 'expired'
  | 'url-not-valid-now'
  | 'mismatch'
  | 'other-body'
  | 'body-not-verifiable';

/** A request whose head is as its caller would send it. */
export interface Claim {
  readonly kind: 'claimed';
  readonly caller: string;
  /** The service of the credential scope: `sqs`, `s3`, `dynamodb`, `execute-api`. */
  readonly service: string;
  /** Compares the signature. @returns Why the request is refused; `undefined`: it is the caller's. */
  verify(body: Uint8Array): SignatureRefusal | undefined;
}

/** Of the signature's date, either way (Amazon S3 API reference, RequestTimeTooSkewed). */
const MAX_SKEW_MS = 15 * 60 * 1000;
const SECRET_BYTES = 30;

/** As Amazon S3 words it. */
const ONE_SIGNATURE =
  'Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter or the Authorization header should be specified';

/** What Amazon S3 takes in place of the body's hash ("Signature calculations for the Authorization header"). */
const UNSIGNED = 'UNSIGNED-PAYLOAD';
const UNSIGNED_BODIES: ReadonlySet<string> = new Set([
  UNSIGNED,
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
]);

/** Everybody who may call the services of one run, known by AWS Signature Version 4. */
export class Callers {
  readonly #region: string;
  readonly #known = new Map<string, { readonly caller: string; readonly own: Credentials }>();

  constructor(region: string) {
    this.#region = region;
  }

  admitPerson(caller: string): Credentials {
    return this.#admit(caller, {});
  }

  /** Makes credentials for a role, as Lambda hands them to a function. */
  admitRole(caller: string): Required<Credentials> {
    return this.#admit(caller, { sessionToken: randomText() });
  }

  /** Reads a request's head. Its body is read only after that, so that nobody else makes us read much. */
  identify(request: IncomingMessage, nowMs: number): Claim | SignatureRefusal {
    const given = authorizationOf(request);
    switch (given.kind) {
      case 'unsigned':
        return refused('unsigned', undefined, 'The request is not signed.');
      case 'two':
        return refused('two-signatures', 's3', ONE_SIGNATURE);
      case 'malformed': {
        const problem = given.service === undefined ? 'incomplete' : 'incomplete-query';
        return refused(problem, given.service, given.message);
      }
      case 'signed':
        return this.#claim(given, request, nowMs);
    }
  }

  #claim(given: Authorization, request: IncomingMessage, nowMs: number): Claim | SignatureRefusal {
    const { service } = given;
    const known = this.#known.get(given.accessKeyId);
    if (known === undefined || (known.own.sessionToken ?? '') !== given.sessionToken) {
      const message = 'The security token included in the request is invalid.';
      return refused('unknown-caller', service, message);
    }
    const problem = problemOfHead(given, request, this.#region, nowMs);
    if (problem !== undefined) return refused(...problem);
    const { caller, own } = known;
    const verify = (body: Uint8Array) => problemOfSignature(given, request, body, own);
    return { kind: 'claimed', caller, service, verify };
  }

  #admit<More extends object>(caller: string, more: More) {
    const accessKeyId = `LOCAL${randomBytes(8).toString('hex').toUpperCase()}`;
    const own = { accessKeyId, secretAccessKey: randomText(), ...more };
    this.#known.set(accessKeyId, { caller, own });
    return own;
  }
}

type Problem = readonly [SignatureProblem, service: string, message: string];

function problemOfHead(
  given: Authorization,
  { headers }: IncomingMessage,
  ownRegion: string,
  nowMs: number,
): Problem | undefined {
  const { amzDate, scopeDate, region, service, signedHeaders } = given;
  const unsigned = Object.keys(headers).find(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (unsigned !== undefined) {
    const message = `There were headers present in the request which were not signed: ${unsigned}`;
    return ['unsigned-header', service, message];
  }
  if (region !== ownRegion || scopeDate !== amzDate.slice(0, 8)) {
    const expected = `${amzDate.slice(0, 8)} and ${ownRegion}`;
    return ['mismatch', service, `Credential should be scoped to ${expected}.`];
  }
  return problemOfTime(given, nowMs);
}

function problemOfTime(
  { amzDate, service, expiresSeconds }: Authorization,
  nowMs: number,
): Problem | undefined {
  const signedAtMs = timeOf(amzDate);
  if (expiresSeconds !== undefined) {
    if (nowMs - signedAtMs > expiresSeconds * 1000) {
      return ['url-not-valid-now', service, 'Request has expired'];
    }
    if (signedAtMs - nowMs <= MAX_SKEW_MS) return undefined;
    return ['url-not-valid-now', service, 'Request is not yet valid'];
  }
  if (Math.abs(signedAtMs - nowMs) <= MAX_SKEW_MS) return undefined;
  const nowText = new Date(nowMs).toISOString();
  return ['expired', service, `Signature expired: ${amzDate} is over 15 minutes from ${nowText}.`];
}

function problemOfSignature(
  given: Authorization,
  { method = '', headers, headersDistinct }: IncomingMessage,
  body: Uint8Array,
  { secretAccessKey }: Credentials,
): SignatureRefusal | undefined {
  const { service, signedHeaders, signature, target } = given;
  const bodyHash = sha256(body);
  const said = saidHash(given, headers, bodyHash);
  const request = {
    method,
    target,
    headers: signedHeaders.map((name) => [name, headersDistinct[name] ?? []] as const),
    payloadHash: said,
  };
  if (!timingSafeEqual(signature, signatureOf(request, given, secretAccessKey))) {
    const message =
      'The request signature we calculated does not match the signature you provided.';
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

function refused(
  problem: SignatureProblem,
  service: string | undefined,
  message: string,
): SignatureRefusal {
  return { kind: 'refused', problem, service, message };
}

function randomText(): string {
  return randomBytes(SECRET_BYTES).toString('base64url');
}
