import type { IncomingMessage, ServerResponse } from 'node:http';

/** Who calls which service, as the signature of a request says. */
interface CallOrigin {
  readonly accessKeyId: string;
  /** The service of the credential scope: `sqs`, `s3`, `dynamodb`, `secretsmanager`, `events`. */
  readonly service: string;
}

/** One call of an AWS service. */
interface AwsCall {
  /** A function's name, or `operator`. */
  readonly caller: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One AWS service of the endpoint. It answers every call, also with an error. */
export type AwsService = (call: AwsCall) => Promise<void>;

/** What a service of the JSON protocol answers when it refuses. */
export interface ServiceError {
  readonly kind: 'service-error';
  readonly code: string;
  readonly message: string;
  readonly status: number;
}

/** Reads the credential scope of the `Authorization` header (AWS Signature Version 4). */
export function callOriginOf({ headers }: IncomingMessage): CallOrigin | undefined {
  const scope = /Credential=([^,\s]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
  const [accessKeyId, , , service, terminator] = scope.split('/');
  if (terminator !== 'aws4_request' || !accessKeyId || !service) return undefined;
  return { accessKeyId, service };
}

export function serviceError(code: string, message: string, status = 400): ServiceError {
  return { kind: 'service-error', code, message, status };
}

export function isServiceError(value: unknown): value is ServiceError {
  return Object(value).kind === 'service-error';
}

/** Sends a whole answer. */
export function answerWith(
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { 'content-length': Buffer.byteLength(body), ...headers });
  response.end(body);
}

export const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' } as const;

/** Refuses in the AWS JSON protocol. */
export function answerError(
  response: ServerResponse,
  { status, code, message }: ServiceError,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = JSON.stringify({ __type: code, message });
  answerWith(response, status, body, { ...JSON_TYPE, ...headers });
}
