import type { MiddlewareObj } from '@middy/core';
import type { Answer } from './answer.ts';
import { type Problem, problem, problemAnswer } from './problem.ts';

const INTERNAL = problem(
  'internal',
  'The log of the function tells more, under the request id in instance. Repeating the request does no harm.',
);

/**
 * Turns the problems that routes find into answers, and whatever they throw into one that tells nothing.
 * (`@middy/http-error-handler` answers with text or plain JSON, and with the message of any error whose
 * status is below 500.)
 */
export function problemAnswers(): MiddlewareObj<unknown, Answer | Problem> {
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
