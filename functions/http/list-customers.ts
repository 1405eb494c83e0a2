import { startDeadline } from '../../lib/customers-api/request-deadline.ts';
import { ANSWER_RESERVE_MS, type ClientOf, recordUntilMs } from '../services/gated-clients.ts';
import { customersPage } from './customers-page.ts';
import { type FailedRead, keyRejected, outcomeProblem } from './outcome-problem.ts';
import type { Problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Call, Route } from './serve-routes.ts';

type Spec = typeof ROUTES.listCustomers;

export const listCustomers: Route<Spec, { clientOf: ClientOf }> = async (call, { clientOf }) => {
  const { connection, context, input } = call;
  const { resource, firstPage, perPage } = call.settings.export;
  const { page = firstPage, per_page = perPage } = input.query;
  const client = clientOf(connection, recordUntilMs(context));
  const timeoutMs = Math.max(0, context.getRemainingTimeInMillis() - ANSWER_RESERVE_MS);
  const deadline = startDeadline(undefined, timeoutMs);
  try {
    const { signal } = deadline;
    const outcome = await client.listPage({ resource, page, perPage: per_page, signal });
    return outcome.kind === 'page' ? customersPage(outcome) : failure(call, outcome);
  } finally {
    deadline.release();
  }
};

function failure({ connection, log }: Call<Spec>, outcome: FailedRead): Problem {
  switch (outcome.kind) {
    case 'halted':
      return keyRejected(connection, {});
    case 'authentication-failure':
      log.error('Key rejected', { status: outcome.status });
      return keyRejected(connection, outcome);
    case 'throttled':
      log.warn('Live read throttled', { retryAfterSeconds: outcome.retryAfterSeconds });
      break;
    case 'unavailable':
    case 'refused':
      log.warn('Live read failed', { reason: outcome.reason, status: outcome.status });
      break;
  }
  return outcomeProblem(outcome);
}
