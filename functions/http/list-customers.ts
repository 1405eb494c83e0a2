import type { Page } from '../../lib/customers-api/outcome.ts';
import { startDeadline } from '../../lib/customers-api/request-deadline.ts';
import { ANSWER_RESERVE_MS, type ClientOf, recordUntilMs } from '../services/gated-clients.ts';
import { type Answer, jsonTextAnswer } from './answer.ts';
import { type FailedRead, keyRejected, outcomeProblem } from './outcome-problem.ts';
import { type Problem, problem } from './problem.ts';
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

/** Lambda's limit of a synchronous response (Lambda quotas), less 64 KiB for what encloses the body. */
const MAX_ANSWER_BYTES = 6 * 1024 * 1024 - 64 * 1024;

/**
 * A page as it came: records and `meta` are joined as text, since parsing would change numbers, escapes and
 * duplicate members.
 */
function customersPage(page: Page): Answer | Problem {
  const meta = page.metaText ?? 'null';
  const body = `{"customers":[${page.records.join(',')}],"meta":${meta},"page":${page.page}}`;
  // Lambda hands the body on inside a JSON text, in which every quote takes two bytes.
  const answerBytes = Buffer.byteLength(JSON.stringify(body));
  if (answerBytes <= MAX_ANSWER_BYTES) return jsonTextAnswer(200, body);
  return problem(
    'page-too-large',
    `The page has ${page.recordCount} customers, which take ${answerBytes} bytes in the answer of a function; at most ${MAX_ANSWER_BYTES} are possible. Ask for fewer with per_page.`,
    { field: 'per_page' },
  );
}
