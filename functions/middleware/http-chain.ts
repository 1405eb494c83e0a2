import middy, { type MiddlewareObj, type Request } from '@middy/core';
import httpSecurityHeaders from '@middy/http-security-headers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { takeNone } from '../../lib/customers-api/parse-options.ts';
import { isUnreadable } from '../../lib/steps/unreadable-item.ts';
import { UnknownConnectionError } from '../aws/known-connections.ts';
import type { Answer } from '../http/answer.ts';
import { type Problem, problem, problemAnswer, unknownConnection } from '../http/problem.ts';
import { errorFields } from '../log/log.ts';
import { type LogContext, logOf } from './invocation-log.ts';

/**
 * A chain for handlers behind an HTTP API (payload format 2.0): `context.log`, security headers, and
 * problem details (RFC 9457) for the problems that a handler or a middleware returns and for whatever is thrown. No
 * message of an error, stack or upstream body gets into an answer. To be ended with `.handler(…)`.
 *
 * @typeParam Event What the handler gets: `APIGatewayProxyEvent` behind a REST API, `ALBEvent` behind a load balancer,
 * which read its answers too.
 * @param none There is nothing to set.
 * @throws SettingError for options.
 */
export function httpChain<Event = APIGatewayProxyEventV2>(...none: readonly never[]) {
  takeNone(none);
  return middy<Event, Answer | Problem>({ requestStart: answerProblems })
    .use(SECURITY_HEADERS)
    .use(answeringErrors())
    .after(refuseNothing);
}

/** Those left out speak of scripts and frames, which no JSON has. */
const SECURITY_HEADERS = httpSecurityHeaders({
  contentSecurityPolicy: false,
  permissionsPolicy: false,
});

/** middy would answer 500 without a word to anybody. */
function refuseNothing({ response }: Request): void {
  if (response !== undefined) return;
  throw new Error('The handler returned nothing. Expected an answer or a problem.');
}

/** Not that the request may be repeated: that is for the handler to know. */
const INTERNAL = problem(
  'internal',
  'The log of the function tells more, under the request id in instance.',
);

/**
 * Gives the handler its log, and makes a problem without details of whatever is thrown. It is set and not returned, since
 * middy calls nobody after whoever returns something, and the headers would be missing. (`@middy/http-error-handler`
 * answers with text or plain JSON, and with the message of any error whose status is below 500.)
 */
function answeringErrors(): MiddlewareObj<unknown, Answer | Problem, Error, LogContext> {
  return {
    before: function answeringErrorsBefore({ context }) {
      context.log = logOf(context);
    },
    onError: function answeringErrorsOnError(request) {
      const { error, context } = request;
      // The caller's mistake, as in the routes.
      if (error instanceof UnknownConnectionError) {
        request.response = unknownConnection(error);
        return;
      }
      // A before middleware that was first in line may have failed before this one ran.
      const log = context.log ?? logOf(context);
      log.error('Invocation failed', errorFields(error), { RequestsFailed: 1 });
      request.response = isUnreadable(error) ? problem('unreadable-item', error.message) : INTERNAL;
    },
  };
}

/**
 * Makes an answer of each problem, with its headers, whoever returns it: after a middleware that answers in place of the
 * handler, middy calls no other, and API Gateway would show the problem itself, with status 200.
 */
function answerProblems(request: Request): void {
  let response: unknown;
  Object.defineProperty(request, 'response', {
    get: () => response,
    set: (given: unknown) => {
      response = given;
      if (!isProblem(given)) return;
      response = problemAnswer(given, request.context.awsRequestId);
      void SECURITY_HEADERS.after?.(request);
    },
  });
}

function isProblem(given: unknown): given is Problem {
  return Object(given).kind === 'problem';
}
