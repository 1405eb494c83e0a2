import { type CancelPorts, cancelExport as cancel } from '../../lib/exports/cancel-export.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { jsonAnswer } from './answer.ts';
import { exportView } from './export-view.ts';
import { type Problem, problem, unknownCaller } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unknownExport } from './show-exports.ts';

export const cancelExport: Route<typeof ROUTES.cancelExport, CancelPorts> = async (call, ports) => {
  const { connection, input, settings, log, caller: by } = call;
  if (by === undefined) return unknownCaller('cancels an export');
  const { exportId } = input.path;
  const { reason, parts } = input.body;
  const done = await cancel(ports, settings, { connection, exportId, by, reason, parts });
  if (done.kind === 'missing') return unknownExport(connection);
  const { state } = done;
  if (done.kind === 'too-late') return tooLate(state);
  if (done.kind === 'cancelled') {
    const facts = { list: state.list, exportId, by, reason, parts };
    log.warn('Export cancelled', facts, { ExportsCancelled: 1 });
  }
  const gate = await ports.gates.read(connection);
  return jsonAnswer(200, exportView(state, gate, ports.clock.now(), undefined));
};

function tooLate({ status, cancellation }: ExportState): Problem {
  const why =
    status === 'running'
      ? 'All of its pages are there, and it is being completed.'
      : `The export is ${status} already.`;
  const more =
    cancellation === undefined
      ? ''
      : ` What was stored of it is ${cancellation.parts === 'keep' ? 'kept' : 'removed'}.`;
  return problem('not-cancellable', `${why}${more}`, { exportStatus: status });
}
