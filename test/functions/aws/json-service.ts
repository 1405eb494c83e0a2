import { createServer } from 'node:http';
import { listen } from './local-server.ts';

export interface JsonCall {
  readonly operation: string;
  readonly input: Readonly<Record<string, unknown>>;
}

export type JsonAnswer =
  /** `date` is the header, now unless told. */
  | { readonly ok: object; readonly date?: string }
  | { readonly error: string; readonly message?: string; readonly status?: number };

/** A service that speaks AWS's JSON protocol, such as Secrets Manager and EventBridge. */
export async function startJsonService(
  answer: (call: JsonCall) => JsonAnswer | Promise<JsonAnswer>,
) {
  const calls: JsonCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const call = { operation, input: JSON.parse(Buffer.concat(chunks).toString()) };
    calls.push(call);
    const result = await answer(call);
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    response.setHeader('x-amzn-requestid', 'req-1');
    if ('ok' in result) {
      if (result.date !== undefined) response.setHeader('date', result.date);
      response.end(JSON.stringify(result.ok));
      return;
    }
    response.statusCode = result.status ?? 400;
    response.end(JSON.stringify({ __type: result.error, message: result.message ?? 'no' }));
  });
  return { ...(await listen(server)), calls };
}
