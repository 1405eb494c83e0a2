import type { AnswerFacts } from '../../lib/customers-api/outcome.ts';
import type { NoKey } from '../../lib/gate/ports.ts';
import { type Problem, problem } from './problem.ts';
import { upstreamMembers } from './upstream-problem.ts';

/** The API did not accept the newest version of the connection's key; that version is never sent again. */
export function keyRejected(connection: string, facts: AnswerFacts): Problem {
  return problem(
    'halted',
    `The API did not accept the key of connection ${connection}, and this version of the secret is not sent again. Store a valid key as a new version of the secret; it is used within a minute.`,
    { reason: 'authentication-failure', ...upstreamMembers(facts) },
  );
}

/** There is no secret, or what it holds cannot be a key. */
export function keyUnusable({ reason, message }: NoKey): Problem {
  return problem('halted', message, {
    reason: reason === 'missing' ? 'key-missing' : 'key-malformed',
  });
}
