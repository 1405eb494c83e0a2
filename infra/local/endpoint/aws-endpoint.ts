import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type AwsService, answerError, callOriginOf, serviceError } from './aws-call.ts';

/** The AWS endpoint of this machine: what `AWS_ENDPOINT_URL` points at. */
export interface AwsEndpoint {
  readonly url: string;
  /** Makes a service answer; before that its calls are refused. */
  add(service: string, handler: AwsService): void;
  /** Lets calls with this access key id in, as this caller. */
  admit(accessKeyId: string, caller: string): void;
  /** Stops listening and ends every open connection. */
  close(): Promise<void>;
}

/** Longer than any pause between two calls of a run. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Listens on a free port of 127.0.0.1. A request's service and caller are read from its signature's
 * credential scope; the signature itself is not verified.
 */
export async function startAwsEndpoint(): Promise<AwsEndpoint> {
  const services = new Map<string, AwsService>();
  const callers = new Map<string, string>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  server.on('request', (request, response) => {
    response.on('error', ignore);
    answer(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else answerError(response, serviceError('InternalFailure', 'the local endpoint failed', 500));
    });
  });
  server.on('clientError', (_, socket) => socket.destroy());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${portOf(server.address())}`,
    add: (service, handler) => {
      services.set(service, handler);
    },
    admit: (accessKeyId, caller) => {
      callers.set(accessKeyId, caller);
    },
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const origin = callOriginOf(request);
    if (origin === undefined) {
      return refuse(request, response, 'MissingAuthenticationToken', 'The request is not signed');
    }
    const caller = callers.get(origin.accessKeyId);
    if (caller === undefined) {
      const message = 'The security token included in the request is invalid.';
      return refuse(request, response, 'UnrecognizedClientException', message);
    }
    const service = services.get(origin.service);
    if (service === undefined) {
      const message =
        `The local endpoint has no service "${origin.service}" (called by ${caller}); ` +
        `it has ${[...services.keys()].join(', ')}.`;
      return refuse(request, response, 'UnknownServiceException', message);
    }
    await service({ caller, request, response });
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  code: string,
  message: string,
): void {
  request.resume();
  answerError(response, serviceError(code, message, 403));
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function ignore(): void {}
