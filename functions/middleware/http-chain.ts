import middy, { type MiddlewareObj } from '@middy/core';
import httpSecurityHeaders from '@middy/http-security-headers';
import type { APIGatewayProxyEventV2 } from 'aws-lambda';
import { takeNone } from '../../lib/customers-api/parse-options.ts';
import { isUnreadable } from '../../lib/steps/unreadable-item.ts';
import { UnknownConnectionError } from '../aws/known-connections.ts';
import type { Answer } from '../http/answer.ts';
import { type Problem, problem, problemAnswer, unknownConnection } from '../http/problem.ts';
import { invocationLog } from './invocation-log.ts';

/**
 * A chain for handlers behind an HTTP API (payload format 2.0): `context.log`, security headers, and
 * problem details (RFC 9457) for the problems that a handler returns and for whatever it throws. No
 * message of an error, stack or upstream body gets into an answer. To be ended with `.handler(…)`.
 *
 * @param none There is nothing to set.
 * @throws SettingError for options.
 */
export function httpChain(...none: readonly never[]) {
  takeNone(none);
  return (
    middy<APIGatewayProxyEventV2, Answer | Problem>()
      // Those left out speak of scripts and frames, which no JSON has.
      .use(httpSecurityHeaders({ contentSecurityPolicy: false, permissionsPolicy: false }))
      .use(problemAnswers())
      .use(invocationLog())
      .use(knownErrors())
  );
}

/** Errors whose message the caller may see, or whose cause it may know. */
function knownErrors(): MiddlewareObj<unknown, Answer | Problem> {
  return {
    onError: function knownErrorsOnError({ error, context }) {
      const found =
        error instanceof UnknownConnectionError
          ? unknownConnection(error)
          : isUnreadable(error)
            ? problem('unreadable-item', error.message)
            : undefined;
      return found && problemAnswer(found, context.awsRequestId);
    },
  };
}

const INTERNAL = problem(
  'internal',
  'The log of the function tells more, under the request id in instance. Repeating the request does no harm.',
);

/**
 * Turns the problems that routes return into answers, and whatever they throw into one without details.
 * (`@middy/http-error-handler` answers with text or plain JSON, and with the message of any error whose
 * status is below 500.)
 */
function problemAnswers(): MiddlewareObj<unknown, Answer | Problem> {
  return {
    after: function problemAnswersAfter(request) {
      const { response, context } = request;
      if (!response || !('kind' in response)) return;
      request.response = problemAnswer(response, context.awsRequestId);
    },
    onError: function problemAnswersOnError(request) {
      request.response = problemAnswer(INTERNAL, request.context.awsRequestId);
    },
  };
}
