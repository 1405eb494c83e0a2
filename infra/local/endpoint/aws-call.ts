import type { IncomingMessage, ServerResponse } from 'node:http';

export interface AwsCall {
  /** A function's name, or `operator`. */
  readonly caller: string;
  /** Its body has been read. */
  readonly request: IncomingMessage;
  readonly body: Buffer;
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
): void {
  answerWith(response, status, JSON.stringify({ __type: code, message }), JSON_TYPE);
}

const XML_TYPE = { 'content-type': 'application/xml' } as const;

export function answerXml(response: ServerResponse, status: number, body: string): void {
  answerWith(response, status, body, XML_TYPE);
}

/** What Amazon S3 answers when it refuses. */
export type XmlError = Omit<ServiceError, 'kind'>;

export function answerXmlError(
  response: ServerResponse,
  { status, code, message }: XmlError,
): void {
  const body = `<?xml version="1.0" encoding="UTF-8"?>\n<Error>${xmlElements({ Code: code, Message: message })}</Error>`;
  answerXml(response, status, body);
}

/** Whether a caller of a service of the AWS query protocol takes XML, as SDKs do. */
export function takesXml({ headers }: IncomingMessage): boolean {
  return headers.accept !== 'application/json';
}

/** Refuses in the AWS query protocol. */
export function answerQueryError(
  response: ServerResponse,
  { status, code, message }: ServiceError,
): void {
  const error = xmlElements({ Type: 'Sender', Code: code, Message: message });
  answerXml(response, status, `<ErrorResponse><Error>${error}</Error></ErrorResponse>`);
}

export function xmlElements(members: Readonly<Record<string, unknown>>): string {
  return Object.entries(members)
    .map(([name, value]) => `<${name}>${escaped(value)}</${name}>`)
    .join('');
}

function escaped(value: unknown): string {
  return String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
