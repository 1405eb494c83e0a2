import { defined } from '../../lib/defined.ts';
import { CUSTOMERS_LIST } from '../../lib/exports/list-settings.ts';
import { unknownList } from '../../lib/gate/unknown-list.ts';
import type { Log } from '../log/log.ts';
import { type ClientOf, inTime, recordMs } from '../services/gated-clients.ts';
import type { Answer } from './answer.ts';
import { type FailedRead, outcomeProblem } from './outcome-problem.ts';
import { pageAnswer } from './page-answer.ts';
import { type Problem, problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Call, Route } from './serve-routes.ts';

type Spec = typeof ROUTES.listCustomers | typeof ROUTES.listRecords;

interface LivePorts {
  readonly clientOf: ClientOf;
}

export const listCustomers: Route<typeof ROUTES.listCustomers, LivePorts> = (call, { clientOf }) =>
  livePage(call, clientOf, CUSTOMERS_LIST, 'customers');

export const listRecords: Route<typeof ROUTES.listRecords, LivePorts> = (call, { clientOf }) =>
  livePage(call, clientOf, call.input.path.list, 'records');

/** @param member What the records are called in the answer. */
async function livePage(
  call: Call<Spec>,
  clientOf: ClientOf,
  list: string,
  member: 'customers' | 'records',
): Promise<Answer | Problem> {
  const { connection, context, input, settings } = call;
  const known = settings.lists.get(list);
  if (known === undefined) {
    return problem('unknown-list', `list: ${unknownList(settings.lists, list)}.`, {
      field: 'list',
    });
  }
  const { page = known.firstPage, per_page: perPage } = input.query;
  const leftMs = recordMs(context);
  const client = clientOf(connection, leftMs);
  const outcome = await inTime(leftMs(), undefined, (signal) =>
    client.listPage({ list, page, ...defined({ perPage }), signal }),
  );
  if (outcome.kind === 'page') return pageAnswer(outcome, member);
  logFailure(call.log, outcome);
  return outcomeProblem(outcome, connection);
}

function logFailure(log: Log, outcome: FailedRead): void {
  switch (outcome.kind) {
    case 'authentication-failure':
      log.error('Key rejected', { status: outcome.status });
      break;
    case 'throttled':
      log.warn('Live read throttled', { retryAfterSeconds: outcome.retryAfterSeconds });
      break;
    case 'unavailable':
    case 'refused':
      log.warn('Live read failed', { reason: outcome.reason, status: outcome.status });
      break;
  }
}
