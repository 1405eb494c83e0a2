import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import {
  type AwsService,
  answerError,
  answerQueryError,
  answerXmlError,
  serviceError,
  takesXml,
} from './aws-call.ts';
import type { Callers } from './callers.ts';
import { isFromHere, listenHere } from './local-server.ts';
import { queryCodeOf, SIGNATURE_PROBLEMS, type SignatureRefusal } from './signature-problem.ts';

/** Longer than any pause between two calls of a run. */
const KEEP_ALIVE_MS = 120_000;

/**
 * Starts the AWS endpoint of this machine, which `AWS_ENDPOINT_URL` points at: it listens on a free port of 127.0.0.1,
 * for requests that one of the callers has signed.
 */
export async function startAwsEndpoint(callers: Callers) {
  const services = new Map<string, AwsService>();
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  server.on('request', (request, response) => {
    response.on('error', ignore);
    answer(request, response).catch((error) => {
      const message = `The local endpoint failed: ${String(error)}`;
      if (response.headersSent) response.destroy();
      else answerError(response, serviceError('InternalFailure', message, 500));
    });
  });
  const listening = await listenHere(server, 0);

  return {
    ...listening,
    /** Makes a service answer; before that its calls are refused. */
    add(service: string, handler: AwsService): void {
      services.set(service, handler);
    },
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isFromHere(request)) {
      request.resume();
      const message = 'Only programs of this machine are answered, by the address they were given.';
      return answerError(response, serviceError('AccessDeniedException', message, 403));
    }
    const claim = callers.identify(request, Date.now());
    if (claim.kind === 'refused') {
      request.resume();
      return answerRefusal(request, response, claim);
    }
    const body = await buffer(request);
    const refusal = await claim.verify(body);
    if (refusal !== undefined) return answerRefusal(request, response, refusal);
    const { caller } = claim;
    const service = services.get(claim.service);
    if (service === undefined) {
      const message =
        `The local endpoint has no service "${claim.service}" (called by ${caller}); ` +
        `it has ${[...services.keys()].join(', ')}.`;
      return answerError(response, serviceError('UnknownServiceException', message, 403));
    }
    await service({ caller, request, body, response });
  }
}

function ignore(): void {}

/** Of the query protocol, whose callers cannot read a refusal in JSON. */
const QUERY_SERVICES: readonly string[] = ['cloudformation', 'sts'];

/** Refuses with the code that the service that was called would give. */
function answerRefusal(
  request: IncomingMessage,
  response: ServerResponse,
  { problem, service = '', message }: SignatureRefusal,
): void {
  const { json, s3 } = SIGNATURE_PROBLEMS[problem];
  if (service === 's3') {
    const [code, status] = s3;
    answerXmlError(response, { status, code, message });
  } else if (QUERY_SERVICES.includes(service) && takesXml(request)) {
    answerQueryError(response, serviceError(queryCodeOf(problem), message, 403));
  } else answerError(response, serviceError(json, message, 403));
}
