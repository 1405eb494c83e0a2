import type {
  AnswerFacts,
  ListOutcome,
  Page,
  ReadOutcome,
  Refused,
  Resource,
  Unavailable,
} from '../../lib/customers-api/outcome.ts';
import { defined } from '../../lib/defined.ts';
import { type NotSent, rejectedKey } from '../../lib/gate/not-sent.ts';
import { type Problem, type ProblemMembers, problem, type UpstreamCode } from './problem.ts';

/** What a read came to that is neither a page nor a resource. */
export type FailedRead = Exclude<ListOutcome | ReadOutcome | NotSent, Page | Resource>;

/** The problem to answer with when a read brought nothing, as that of the package entry says. */
export function outcomeProblem(outcome: FailedRead, connection?: string): Problem {
  switch (outcome.kind) {
    case 'blocked':
      return outcome.isLimitUsedUp === true
        ? usedUpProblem(outcome.retryAfterSeconds)
        : throttledProblem(outcome.retryAfterSeconds, {});
    case 'throttled':
      return throttledProblem(outcome.retryAfterSeconds, outcome);
    case 'halted':
      return problem('halted', outcome.message, { reason: 'authentication-failure' });
    case 'organization-unproven':
      return problem('organization-unproven', outcome.message);
    case 'no-key':
      return problem('halted', outcome.message, { reason: `key-${outcome.reason}` });
    case 'authentication-failure':
      return problem('halted', rejectedKey({ connection, status: outcome.status }), {
        reason: 'authentication-failure',
        ...upstreamMembers(outcome),
      });
    case 'unavailable':
    case 'refused':
      return problem(codeOf(outcome), outcome.message, upstreamMembers(outcome));
  }
}

function throttledProblem(retryAfterSeconds: number, facts: AnswerFacts): Problem {
  return problem(
    'throttled',
    `The customers API asks to wait ${retryAfterSeconds} s before the next request of this connection. Ask again then.`,
    { retryAfterSeconds, ...upstreamMembers(facts) },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

function usedUpProblem(retryAfterSeconds: number): Problem {
  return problem(
    'throttled',
    `Other callers of this connection use up the limit of the customers API for another ${retryAfterSeconds} s. Ask again then.`,
    { retryAfterSeconds },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}

function upstreamMembers({ status, apiCode, requestId }: AnswerFacts): ProblemMembers {
  const upstream = defined({ status, code: apiCode, requestId });
  return Object.keys(upstream).length === 0 ? {} : { upstream };
}

function codeOf({ reason }: Unavailable | Refused): UpstreamCode | 'key-in-request' {
  switch (reason) {
    case 'key-in-request':
      return reason;
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
