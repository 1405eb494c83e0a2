import { hash } from 'node:crypto';
import {
  ALGORITHM,
  credentialScope,
  signatureOf,
} from '../../../infra/local/endpoint/signature.ts';
import type { LocalStack } from '../../../infra/local/local-stack.ts';

/** Who signs, and how; whatever is wrong with it is wrong with the request. */
export interface Signer extends Pick<LocalStack['endpoint'], 'region' | 'credentials'> {
  /** @default execute-api */
  readonly service?: string;
  /** `20260301T120000Z`. @default now */
  readonly amzDate?: string;
}

interface Signable {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

/** The headers of a request, with the signature of it. */
export function signedHeaders(
  { region, credentials, service = 'execute-api', amzDate = now() }: Signer,
  url: string,
  { method = 'GET', headers = {}, body = '' }: Signable,
): Record<string, string> {
  const { host, pathname, search } = new URL(url);
  const { accessKeyId, secretAccessKey, sessionToken } = credentials;
  const signed = Object.entries({
    host,
    'x-amz-date': amzDate,
    ...(sessionToken === undefined ? {} : { 'x-amz-security-token': sessionToken }),
    ...(service === 's3' ? { 'x-amz-content-sha256': hash('sha256', body) } : {}),
    ...headers,
  });
  const scope = { amzDate, region, service };
  const request = {
    method,
    target: pathname + search,
    headers: signed.map(([name, value]) => [name.toLowerCase(), [value]] as const),
    payloadHash: headers['x-amz-content-sha256'] ?? hash('sha256', body),
  };
  const signature = signatureOf(request, scope, secretAccessKey).toString('hex');
  const names = request.headers.map(([name]) => name).toSorted();
  const authorization = `${ALGORITHM} Credential=${accessKeyId}/${credentialScope(scope)}, SignedHeaders=${names.join(';')}, Signature=${signature}`;
  return { ...Object.fromEntries(signed), authorization };
}

/** Like `fetch`, signed by this person. */
export function signedFetch(signer: Signer, url: string, init: Signable = {}): Promise<Response> {
  return fetch(url, { ...init, headers: signedHeaders(signer, url, init) });
}

function now(): string {
  return new Date().toISOString().replace(/[-:]|\.\d+/g, '');
}
