import type {
  ListOutcome,
  Page,
  ReadOutcome,
  Resource,
  Throttled,
} from '../../lib/customers-api/outcome.ts';
import type { NotSent } from '../../lib/gate/gated-client.ts';
import { type Problem, problem } from '../http/problem.ts';
import { upstreamMembers, upstreamProblem } from '../http/upstream-problem.ts';

/** What a read came to that is neither a page nor a resource. */
export type FailedRead = Exclude<ListOutcome | ReadOutcome | NotSent, Page | Resource>;

/**
 * The problem to answer with when a read brought nothing: 429 with `Retry-After` for a wait, 409 for a
 * connection without a usable key, 502 or 504 for the API.
 */
export function outcomeProblem(outcome: FailedRead): Problem {
  switch (outcome.kind) {
    case 'blocked':
      return throttledProblem(outcome.retryAfterSeconds, {});
    case 'throttled':
      return throttledProblem(outcome.retryAfterSeconds, outcome);
    case 'halted':
      return problem('halted', outcome.message, { reason: 'authentication-failure' });
    case 'no-key':
      return problem('halted', outcome.message, { reason: `key-${outcome.reason}` });
    case 'authentication-failure':
      return problem(
        'halted',
        'The API did not accept the key, which is not sent again. Store a valid key as a new version of the secret.',
        { reason: 'authentication-failure', ...upstreamMembers(outcome) },
      );
    case 'unavailable':
    case 'refused':
      return upstreamProblem(outcome);
  }
}

function throttledProblem(retryAfterSeconds: number, facts: Partial<Throttled>): Problem {
  return problem(
    'throttled',
    `The customers API asks to wait ${retryAfterSeconds} s before the next request of this connection. Ask again then.`,
    { retryAfterSeconds, ...upstreamMembers(facts) },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}
