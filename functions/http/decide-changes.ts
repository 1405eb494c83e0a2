import type { ChangeState } from '../../lib/changes/change-state.ts';
import { decideChanges as decide } from '../../lib/changes/decide-changes.ts';
import type { ChangePorts } from '../../lib/changes/ports.ts';
import { findExport } from '../../lib/exports/find-export.ts';
import type { Ledger } from '../../lib/exports/ports.ts';
import { decisionMetrics } from '../services/metric-values.ts';
import { jsonAnswer } from './answer.ts';
import { changesView } from './changes-view.ts';
import { type Problem, problem, unknownCaller } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unknownExport } from './show-exports.ts';

interface Ports {
  readonly changes: ChangePorts;
  readonly exports: Pick<Ledger, 'readExport' | 'readLine'>;
}

export const decideChanges: Route<typeof ROUTES.decideChanges, Ports> = async (
  call,
  { changes, exports },
) => {
  const { connection, input, log, caller: by } = call;
  if (by === undefined) return unknownCaller('decides about changes');
  const { exportId } = input.path;
  const { decision } = input.body;
  const decided = await decide(changes, { connection, exportId, decision, by });
  if (decided.kind === 'missing') {
    const found = await findExport(exports, connection, exportId);
    return found === undefined ? unknownExport(connection) : notWaiting(undefined);
  }
  const { state } = decided;
  const facts = { result: decided.kind, list: state.list, exportId, decision, by };
  log.warn('Changes decided', facts, decisionMetrics(decided));
  return decided.kind === 'decided' ? jsonAnswer(200, changesView(state)) : notWaiting(state);
};

function notWaiting(state: ChangeState | undefined): Problem {
  const what =
    state === undefined ? 'There are no changes of this export.' : `They are ${state.status}.`;
  const detail = `${what} Only changes that are held or stopped wait for a decision, and only the newest ones of a list.`;
  return problem('not-waiting', detail);
}
