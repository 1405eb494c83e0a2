import type { IncomingMessage } from 'node:http';
import { ALGORITHM, pathAndQuery } from './signature.ts';

/** Who says to have signed a request, and what the signature covers. */
export interface Authorization {
  readonly kind: 'signed';
  /** `20260301T120000Z` */
  readonly amzDate: string;
  readonly region: string;
  readonly service: string;
  readonly accessKeyId: string;
  /** Empty when none was sent. */
  readonly sessionToken: string;
  readonly scopeDate: string;
  readonly signedHeaders: readonly string[];
  readonly signature: Buffer;
  /** How long a presigned URL is valid; absent for a signature in the headers. */
  readonly expiresSeconds?: number;
}

export type GivenAuthorization =
  | Authorization
  | { readonly kind: 'unsigned' }
  /** A signature in the headers and one in the query: nobody can know which one counts. */
  | { readonly kind: 'two' }
  | { readonly kind: 'malformed'; readonly service: 's3' | undefined; readonly message: string };

/** The parameters of a presigned URL ("Authenticating Requests: Using Query Parameters", Amazon S3 API reference). */
export const PRESIGNED_PARAMETERS = [
  'X-Amz-Algorithm',
  'X-Amz-Credential',
  'X-Amz-Date',
  'X-Amz-Expires',
  'X-Amz-SignedHeaders',
  'X-Amz-Signature',
] as const;

/** A week is the longest that Amazon S3 takes. */
const MAX_EXPIRES_SECONDS = 604_800;

/** Reads `Authorization: AWS4-HMAC-SHA256 Credential=…, SignedHeaders=…, Signature=…`, or the query of a presigned URL. */
export function authorizationOf(request: IncomingMessage): GivenAuthorization {
  const { url = '/', headers } = request;
  const query = new URLSearchParams(pathAndQuery(url)[1]);
  const isPresigned = query.has('X-Amz-Algorithm') || query.has('X-Amz-Signature');
  if (headers.authorization === undefined) {
    return isPresigned ? presigned(query) : { kind: 'unsigned' };
  }
  return isPresigned ? { kind: 'two' } : inHeaders(headers);
}

function inHeaders(headers: IncomingMessage['headers']): GivenAuthorization {
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
  const signed = signedBy({
    algorithm,
    credential: parts.get('Credential'),
    amzDate: String(headers['x-amz-date']),
    signedHeaders: parts.get('SignedHeaders'),
    signature: parts.get('Signature'),
  });
  if (signed === undefined) {
    const message = `The Authorization header is not one of ${ALGORITHM}.`;
    return { kind: 'malformed', service: undefined, message };
  }
  const sessionToken = String(headers['x-amz-security-token'] ?? '');
  return { ...signed, kind: 'signed', sessionToken };
}

function presigned(query: URLSearchParams): GivenAuthorization {
  const refused = (message: string) => ({ kind: 'malformed', service: 's3', message }) as const;
  const [algorithm, credential, amzDate, expires, signedHeaders, signature] =
    PRESIGNED_PARAMETERS.map((name) => query.get(name) ?? undefined);
  const signed = signedBy({ algorithm, credential, amzDate, signedHeaders, signature });
  if (signed === undefined || expires === undefined || signedHeaders === undefined) {
    return refused(
      `Query-string authentication version 4 requires the ${PRESIGNED_PARAMETERS.join(', ')} parameters.`,
    );
  }
  if (signed.service !== 's3')
    return refused('Only Amazon S3 takes a signature in the query here.');
  const expiresSeconds = /^\d+$/.test(expires) ? Number(expires) : Number.NaN;
  if (!(expiresSeconds >= 1 && expiresSeconds <= MAX_EXPIRES_SECONDS)) {
    return refused(`X-Amz-Expires must be a number from 1 to ${MAX_EXPIRES_SECONDS} seconds.`);
  }
  const sessionToken = query.get('X-Amz-Security-Token') ?? '';
  return { ...signed, kind: 'signed', sessionToken, expiresSeconds };
}

interface SignatureTexts {
  readonly algorithm: string | undefined;
  readonly credential: string | undefined;
  readonly amzDate: string | undefined;
  readonly signedHeaders: string | undefined;
  readonly signature: string | undefined;
}

/** `undefined` for what is not whole. */
function signedBy({ algorithm, credential, amzDate = '', ...given }: SignatureTexts) {
  const { signedHeaders = '', signature = '' } = given;
  const [accessKeyId = '', scopeDate = '', region = '', service = '', end] =
    credential?.split('/') ?? [];
  const isWhole =
    algorithm === ALGORITHM &&
    end === 'aws4_request' &&
    /^\d{8}T\d{6}Z$/.test(amzDate) &&
    /^[0-9a-f]{64}$/.test(signature);
  if (!isWhole) return undefined;
  return {
    ...{ accessKeyId, scopeDate, region, service, amzDate },
    signedHeaders: signedHeaders.toLowerCase().split(';'),
    signature: Buffer.from(signature, 'hex'),
  };
}
