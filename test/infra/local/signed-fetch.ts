import { S3Client } from '@aws-sdk/client-s3';
import { SignatureV4 } from '@smithy/signature-v4';
import type { LocalStack } from '../../../infra/local/local-stack.ts';

/** Who signs, and how; whatever is wrong with it is wrong with the request. */
export interface Signer extends Pick<LocalStack['endpoint'], 'region' | 'credentials'> {
  /** @default execute-api */
  readonly service?: string;
  /** @default now */
  readonly signedAtMs?: number;
}

interface Signable {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

const { sha256 } = new S3Client({ region: 'none' }).config;

/** The headers of a request, with the signature of it. */
export async function signedHeaders(
  { region, credentials, service = 'execute-api', signedAtMs = Date.now() }: Signer,
  url: string,
  { method = 'GET', headers = {}, body = '' }: Signable,
): Promise<Record<string, string>> {
  const { host, pathname, searchParams } = new URL(url);
  const isStore = service === 's3';
  const signer = new SignatureV4({
    ...{ region, credentials, service, sha256 },
    ...{ applyChecksum: isStore, uriEscapePath: !isStore },
  });
  const request = {
    ...{ method, body, protocol: 'http:', hostname: '', path: pathname },
    query: Object.fromEntries(
      [...searchParams.keys()].map((name) => [name, searchParams.getAll(name)]),
    ),
    headers: { host, ...headers },
  };
  return (await signer.sign(request, { signingDate: new Date(signedAtMs) })).headers;
}

/** Like `fetch`, signed by this person. */
export async function signedFetch(
  signer: Signer,
  url: string,
  init: Signable = {},
): Promise<Response> {
  return fetch(url, { ...init, headers: await signedHeaders(signer, url, init) });
}
