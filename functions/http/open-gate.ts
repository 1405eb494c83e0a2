import type { ControlPorts } from '../../lib/exports/ports.ts';
import { wakeOpenedExport } from '../../lib/exports/wake-exports.ts';
import { type OpenGatePorts, openGate as open } from '../../lib/gate/open-gate.ts';
import type { QueuePorts } from '../../lib/writes/ports.ts';
import { wakeOpenedWrites } from '../../lib/writes/wake-writes.ts';
import { errorFields } from '../log/log.ts';
import { jsonAnswer } from './answer.ts';
import { problem, unknownCaller } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { gateView } from './show-gate.ts';

type Ports = OpenGatePorts &
  Pick<ControlPorts, 'clock' | 'random' | 'ledger' | 'queue'> & {
    /** Absent in a stack that declares no operations. */
    readonly writes: QueuePorts | undefined;
  };

export const openGate: Route<typeof ROUTES.openGate, Ports, unknown> = async (call, ports) => {
  const { connection, input, log, caller: by } = call;
  if (by === undefined) return unknownCaller('opens a gate');
  const { reason } = input.body;
  const { kind, gate, untold } = await open(ports, { connection, by, reason });
  const view = gateView(connection, gate, ports.clock.now());
  if (kind === 'opened') {
    log.warn('Gate opened', { by, reason, until: view.latestOpening?.until });
  }
  let failed = untold;
  try {
    if (gate.opening !== undefined) {
      await wakeOpenedExport(ports, connection, gate);
      if (ports.writes !== undefined) await wakeOpenedWrites(ports.writes, connection, gate);
    }
  } catch (error) {
    failed = { error };
  }
  if (failed === undefined) return jsonAnswer(200, view);
  log.error('Gate open, not all told', errorFields(failed.error), { RequestsFailed: 1 });
  return problem('internal', NOT_ALL_TOLD);
};

const NOT_ALL_TOLD =
  'The gate is open. But its event was not published, or not all that waits was woken, which goes on within 15 minutes all the same. Ask with the same reason again to repeat both.';
