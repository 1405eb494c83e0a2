import { type OpenGatePorts, openGate as open } from '../../lib/gate/open-gate.ts';
import { jsonAnswer } from './answer.ts';
import { problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { gateView } from './show-gate.ts';

export const openGate: Route<typeof ROUTES.openGate, OpenGatePorts, unknown> = async (
  call,
  ports,
) => {
  const { connection, input, log, caller: by } = call;
  if (by === undefined) {
    const detail = 'Who opens a gate is written down: expected a token with the claim sub.';
    return problem('unknown-caller', detail);
  }
  const { reason } = input.body;
  const { kind, gate } = await open(ports, { connection, by, reason });
  const view = gateView(connection, gate, ports.clock.now());
  if (kind === 'opened') {
    log.warn('Gate opened', { by, reason, until: view.latestOpening?.until });
  }
  return jsonAnswer(200, view);
};
