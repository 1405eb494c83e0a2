import type { ChangeLedger } from '../../lib/changes/ports.ts';
import { defined } from '../../lib/defined.ts';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import { type Started, startExport as start } from '../../lib/exports/start-export.ts';
import { haltedBy } from '../../lib/gate/not-sent.ts';
import { unknownList } from '../../lib/gate/unknown-list.ts';
import { usableConnection } from '../../lib/gate/usable-connection.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { readChangeOf } from './changes-view.ts';
import { exportView, queuedView } from './export-view.ts';
import { outcomeProblem } from './outcome-problem.ts';
import { type Problem, problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';

const ACCEPTED = 202;
/** The request was carried out earlier and its export is over. */
const DONE = 200;

type StartPorts = ControlPorts & { readonly changes: Pick<ChangeLedger, 'readChange'> };

export const startExport: Route<typeof ROUTES.startExport, StartPorts> = async (call, ports) => {
  const { connection, input, settings, log, context } = call;
  const { list } = input.body;
  const unknown = unknownList(settings.lists, list);
  if (unknown !== undefined) return problem('unknown-list', `list: ${unknown}.`, { field: 'list' });
  const idempotencyKey = input.headers['idempotency-key'] ?? context.awsRequestId;
  const exportId = exportIdOf(connection, list, { kind: 'request', idempotencyKey });
  const gate = await ports.gates.read(connection);
  // Only a connection that was halted once needs a check of its key. Another one may get its secret before the first step.
  if (gate.haltedKeyVersions.length > 0) {
    const opened = await usableConnection(ports.connections, connection, gate);
    if (opened.kind === 'rejected') {
      return outcomeProblem(haltedBy(connection, opened.keyVersion));
    }
  }

  const started = await start(ports, settings, { connection, list, exportId });
  const view =
    started.kind === 'queued'
      ? queuedView(started.queued)
      : exportView(
          started.state,
          gate,
          ports.clock.now(),
          await readChangeOf(ports.changes, started.state, log),
        );
  log.info('Start', { result: started.kind, list, exportId: view.exportId });
  return started.kind === 'halted'
    ? haltedExport(started.state)
    : startedAnswer(started.kind, view);
};

function startedAnswer(
  kind: Started['kind'],
  view: ReturnType<typeof exportView | typeof queuedView>,
): Answer {
  return jsonAnswer(
    kind === 'over' ? DONE : ACCEPTED,
    { result: kind, export: view },
    { Location: `exports/${view.exportId}` },
  );
}

function haltedExport({ exportId, reason }: ExportState): Problem {
  return problem('halted', reason?.message ?? NEW_KEY_NEEDED, {
    exportId,
    ...defined({ reason: reason?.code }),
  });
}

const NEW_KEY_NEEDED =
  'The export waits for another key. Store a valid one as a new version of the secret.';
