import type { AnswerFacts, Refused, Unavailable } from '../../lib/customers-api/outcome.ts';
import { defined } from '../../lib/defined.ts';
import { type Problem, type ProblemMembers, problem, type UpstreamCode } from './problem.ts';

/** What a caller is told of an answer that was no page; nothing of its body but a code that is one word. */
export function upstreamProblem(outcome: Unavailable | Refused): Problem {
  return problem(codeOf(outcome), outcome.message, upstreamMembers(outcome));
}

export function upstreamMembers(facts: AnswerFacts): ProblemMembers {
  const { status, apiCode, requestId } = facts;
  const upstream = {
    ...defined({ status, code: apiCode, requestId }),
  };
  return Object.keys(upstream).length === 0 ? {} : { upstream };
}

function codeOf({ reason }: Unavailable | Refused): UpstreamCode {
  switch (reason) {
    // Only our own deadline ends a request.
    case 'aborted':
      return 'upstream-timeout';
    // Told by a walk over several pages only.
    case 'not-advancing':
    case 'contradiction':
      return 'upstream-error-body';
    default:
      return `upstream-${reason}`;
  }
}
