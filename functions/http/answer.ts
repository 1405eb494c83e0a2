/** What a route answers, in API Gateway's payload format 2.0. */
export interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Answers hold customers and the state of exports: no cache keeps them (RFC 9111 section 5.2.2.5). */
const NOT_KEPT = { 'Cache-Control': 'no-store' } as const;

export function jsonAnswer(
  statusCode: number,
  value: object,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return jsonTextAnswer(statusCode, JSON.stringify(value), headers);
}

/** @param body JSON text, sent as it is: nothing in it is parsed, so no digit of a number is lost. */
export function jsonTextAnswer(
  statusCode: number,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Answer {
  return {
    statusCode,
    headers: { ...NOT_KEPT, 'Content-Type': 'application/json', ...headers },
    body,
  };
}
