import { defined } from '../../lib/defined.ts';
import { exportIdOf } from '../../lib/exports/export-id.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import { type Started, startExport as start } from '../../lib/exports/start-export.ts';
import type { Gate } from '../../lib/gate/ports.ts';
import { usableConnection } from '../../lib/gate/usable-connection.ts';
import { type Answer, jsonAnswer } from './answer.ts';
import { exportView } from './export-view.ts';
import { keyRejected } from './outcome-problem.ts';
import { type Problem, problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';

const ACCEPTED = 202;
/** The request was carried out earlier and its export is over. */
const DONE = 200;

export const startExport: Route<typeof ROUTES.startExport, ControlPorts> = async (call, ports) => {
  const { connection, input, settings, log, context } = call;
  const idempotencyKey = input.headers['idempotency-key'] ?? context.awsRequestId;
  const exportId = exportIdOf(connection, { kind: 'request', idempotencyKey });
  const gate = await ports.gates.read(connection);
  // Only a connection that was halted once needs a check of its key.
  if (gate.haltedKeyVersions.length > 0) {
    const opened = await usableConnection(ports.connections, connection, gate);
    if (opened.kind === 'rejected') return keyRejected(connection, {});
  }

  const started = await start(ports, settings.export, connection, exportId);
  log.info('Start', { result: started.kind, exportId: started.state.exportId });
  if (started.kind === 'halted') return haltedExport(started.state);
  return startedAnswer(started, gate, ports.clock.now());
};

function startedAnswer({ kind, state }: Started, gate: Gate, nowMs: number): Answer {
  const { connection, exportId } = state;
  return jsonAnswer(
    kind === 'over' ? DONE : ACCEPTED,
    { result: kind, export: exportView(state, gate, nowMs) },
    { Location: `/connections/${connection}/exports/${exportId}` },
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
