import type { IncomingMessage, ServerResponse } from 'node:http';

/** A signed request as far as the signature says who asks what service. */
export interface CallOrigin {
  readonly accessKeyId: string;
  readonly region: string;
  /** The service of the credential scope: `sqs`, `s3`, `dynamodb`, `secretsmanager`, `events`. */
  readonly service: string;
}

/** One call of an AWS service. */
interface AwsCall extends CallOrigin {
  /** A function's name, or `operator`. */
  readonly caller: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One AWS service of the endpoint. It answers every call, also with an error. */
export type AwsService = (call: AwsCall) => Promise<void>;

/** Why a caller may not do this; `undefined` when it may. */
export type RefusalOf = (
  caller: string,
  action: string,
  parameters: unknown,
) => { readonly message: string } | undefined;

/** What a service answers when it refuses: the JSON protocol's error. */
export interface ServiceError {
  readonly kind: 'service-error';
  readonly code: string;
  readonly message: string;
  readonly status?: number;
}

/** Reads the credential scope (AWS Signature Version 4): in the header, or in a presigned URL. */
export function callOriginOf(request: IncomingMessage): CallOrigin | undefined {
  const header = /Credential=([^,\s]+)/.exec(request.headers.authorization ?? '')?.[1];
  const query = /[?&]X-Amz-Credential=([^&]+)/.exec(request.url ?? '')?.[1];
  const scope = header ?? (query === undefined ? '' : decodeURIComponent(query));
  const [accessKeyId, , region, service, terminator] = scope.split('/');
  if (terminator !== 'aws4_request' || !accessKeyId || !region || !service) return undefined;
  return { accessKeyId, region, service };
}

/** `SendMessage` of `X-Amz-Target: AmazonSQS.SendMessage`. */
export function targetActionOf(request: IncomingMessage): string {
  return (
    String(request.headers['x-amz-target'] ?? '')
      .split('.')
      .at(-1) ?? ''
  );
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Reads a JSON body; `undefined` when it is not JSON. */
export async function readJsonBody(request: IncomingMessage): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request)).toString('utf8'));
  } catch {
    return undefined;
  }
}

export function serviceError(code: string, message: string, status = 400): ServiceError {
  return { kind: 'service-error', code, message, status };
}

export function isServiceError(value: unknown): value is ServiceError {
  return (
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service-error'
  );
}

/** Answers in the AWS JSON protocol. */
export function answerJson(
  response: ServerResponse,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const [status, body] = isServiceError(value)
    ? [value.status ?? 400, { __type: value.code, message: value.message }]
    : [200, value];
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.0',
    'content-length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
