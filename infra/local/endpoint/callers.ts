import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { ALGORITHM, type SignatureScope, sha256, signatureOf } from './signature.ts';

/** Made for one caller of one run. */
export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of a role; a person has none. */
  readonly sessionToken?: string;
}

/** Why a request is not known to come from a caller. */
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
  | 'unknown-caller'
  | 'expired'
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

/** What Amazon S3 takes in place of the body's hash ("Signature calculations for the Authorization header"). */
const UNSIGNED_BODIES: ReadonlySet<string> = new Set([
  'UNSIGNED-PAYLOAD',
  'STREAMING-UNSIGNED-PAYLOAD-TRAILER',
]);

interface Authorization extends SignatureScope {
  readonly accessKeyId: string;
  readonly scopeDate: string;
  readonly signedHeaders: readonly string[];
  readonly signature: Buffer;
}

/** Everybody who may call the services of one run, known by AWS Signature Version 4. */
export class Callers {
  readonly #region: string;
  readonly #known = new Map<string, { readonly caller: string; readonly own: Credentials }>();

  constructor(region: string) {
    this.#region = region;
  }

  /** Makes credentials for a person. */
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
    if (given === undefined) {
      const isThere = request.headers.authorization !== undefined;
      return isThere
        ? refused('incomplete', undefined, `The Authorization header is not one of ${ALGORITHM}.`)
        : refused('unsigned', undefined, 'The request is not signed.');
    }
    const { service } = given;
    const known = this.#known.get(given.accessKeyId);
    const token = request.headers['x-amz-security-token'];
    if (known === undefined || (known.own.sessionToken ?? '') !== (token ?? '')) {
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
  { amzDate, scopeDate, region, service, signedHeaders }: Authorization,
  { headers }: IncomingMessage,
  ownRegion: string,
  nowMs: number,
): Problem | undefined {
  const unsigned = Object.keys(headers).find(
    (name) => (name === 'host' || name.startsWith('x-amz-')) && !signedHeaders.includes(name),
  );
  if (unsigned !== undefined) {
    return ['incomplete', service, `The signature must cover the header ${unsigned}.`];
  }
  if (region !== ownRegion || scopeDate !== amzDate.slice(0, 8)) {
    const expected = `${amzDate.slice(0, 8)} and ${ownRegion}`;
    return ['mismatch', service, `Credential should be scoped to ${expected}.`];
  }
  if (Math.abs(timeOf(amzDate) - nowMs) <= MAX_SKEW_MS) return undefined;
  const nowText = new Date(nowMs).toISOString();
  return ['expired', service, `Signature expired: ${amzDate} is over 15 minutes from ${nowText}.`];
}

function problemOfSignature(
  given: Authorization,
  { method = '', url = '/', headers, headersDistinct }: IncomingMessage,
  body: Uint8Array,
  { secretAccessKey }: Credentials,
): SignatureRefusal | undefined {
  const { service, signedHeaders, signature } = given;
  const bodyHash = sha256(body);
  // Other services hash the body themselves.
  const said = service === 's3' ? String(headers['x-amz-content-sha256']) : bodyHash;
  const request = {
    method,
    target: url,
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

/** Reads `AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`. */
function authorizationOf({ headers }: IncomingMessage): Authorization | undefined {
  const [algorithm, ...rest] = (headers.authorization ?? '').split(' ');
  const parts = new Map(
    rest
      .join(' ')
      .split(',')
      .map((part) => {
        const [name = '', ...value] = part.trim().split('=');
        return [name, value.join('=')];
      }),
  );
  const [accessKeyId = '', scopeDate = '', region = '', service = '', end] =
    parts.get('Credential')?.split('/') ?? [];
  const signature = parts.get('Signature') ?? '';
  const amzDate = String(headers['x-amz-date']);
  const isWhole =
    algorithm === ALGORITHM &&
    end === 'aws4_request' &&
    /^\d{8}T\d{6}Z$/.test(amzDate) &&
    /^[0-9a-f]{64}$/.test(signature);
  if (!isWhole) return undefined;
  return {
    ...{ accessKeyId, scopeDate, region, service, amzDate },
    signedHeaders: parts.get('SignedHeaders')?.toLowerCase().split(';') ?? [],
    signature: Buffer.from(signature, 'hex'),
  };
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
