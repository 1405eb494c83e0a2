import * as v from 'valibot';
import type { AnswerFacts, ListOutcome } from '../../lib/customers-api/outcome.ts';
import { startDeadline } from '../../lib/customers-api/request-deadline.ts';
import type { NotSent } from '../../lib/gate/gated-client.ts';
import { TELL_RESERVE_MS } from '../services/tell-until.ts';
import type { Answer } from './answer.ts';
import { customersPage } from './customers-page.ts';
import { keyRejected, keyUnusable } from './key-problem.ts';
import { type Problem, problem } from './problem.ts';
import { readFields, wholeNumber } from './request.ts';
import type { Call, Route } from './route.ts';
import { upstreamMembers, upstreamProblem } from './upstream-problem.ts';

const QuerySchema = v.strictObject({
  page: v.exactOptional(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
  per_page: v.exactOptional(wholeNumber(1, 10_000)),
});

/** `GET /connections/{connection}/customers?page=&per_page=`, one live page. */
export const listCustomers: Route = async (call) => {
  const query = readFields(QuerySchema, call.request.query);
  if (query.kind === 'problem') return query;
  const { resource, firstPage, perPage } = call.settings;
  const { page = firstPage, per_page = perPage } = query.fields;
  const deadline = startDeadline(undefined, Math.max(0, call.remainingMs() - TELL_RESERVE_MS));
  try {
    const { signal } = deadline;
    return answerOf(
      call,
      await call.client.listPage({ resource, page, perPage: per_page, signal }),
    );
  } finally {
    deadline.release();
  }
};

function answerOf({ connection, log }: Call, outcome: ListOutcome | NotSent): Answer | Problem {
  switch (outcome.kind) {
    case 'page':
      return customersPage(outcome);
    case 'blocked':
      return throttled(outcome.retryAfterSeconds, {});
    case 'throttled':
      log.warn('Live read throttled', { retryAfterSeconds: outcome.retryAfterSeconds });
      return throttled(outcome.retryAfterSeconds, outcome);
    case 'halted':
      return keyRejected(connection, {});
    case 'authentication-failure':
      log.error('Key rejected', { status: outcome.status });
      return keyRejected(connection, outcome);
    case 'no-key':
      return keyUnusable(outcome);
    case 'unavailable':
    case 'refused':
      log.warn('Live read failed', { reason: outcome.reason, status: outcome.status });
      return upstreamProblem(outcome);
  }
}

function throttled(retryAfterSeconds: number, facts: AnswerFacts): Problem {
  return problem(
    'throttled',
    `The customers API asks to wait ${retryAfterSeconds} s before the next request of this connection. Ask again then.`,
    { retryAfterSeconds, ...upstreamMembers(facts) },
    { 'Retry-After': String(retryAfterSeconds) },
  );
}
