import { isoTime } from '../../lib/exports/bounds.ts';
import type { Gate, Gates } from '../../lib/gate/ports.ts';
import { jsonAnswer } from './answer.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';

interface Ports {
  readonly gates: Pick<Gates, 'read'>;
  readonly clock: { now(): number };
}

export const showGate: Route<typeof ROUTES.showGate, Ports> = async (call, ports) => {
  const gate = await ports.gates.read(call.connection);
  return jsonAnswer(200, gateView(call.connection, gate, ports.clock.now()));
};

/** What stops all callers of a connection. Times are ISO 8601 in UTC; what there is not is `null`. */
export function gateView(connection: string, gate: Gate, nowMs: number) {
  const { blockedUntilMs, waitAsSent, haltedKeyVersions, opening } = gate;
  const isBlocked = blockedUntilMs > nowMs;
  return {
    connection,
    blockedUntil: isBlocked ? isoTime(blockedUntilMs) : null,
    // The header by which the API asked for this wait.
    waitAsSent: isBlocked ? (waitAsSent ?? null) : null,
    haltedKeyVersions,
    latestOpening:
      opening === undefined
        ? null
        : {
            at: isoTime(opening.atMs),
            by: opening.by,
            reason: opening.reason,
            until: isoTime(opening.untilMs),
            waitAsSent: opening.waitAsSent ?? null,
          },
  };
}
