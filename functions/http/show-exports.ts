import type { ChangeLedger } from '../../lib/changes/ports.ts';
import { readHistory } from '../../lib/exports/export-history.ts';
import { findExport } from '../../lib/exports/find-export.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import { jsonAnswer } from './answer.ts';
import { readChangeOf } from './changes-view.ts';
import { cursorText, parseCursor } from './cursor.ts';
import { exportView, queuedView } from './export-view.ts';
import { invalidRequest, type Problem, problem } from './problem.ts';
import { AFTER_EXPECTED, type ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unreadableItems } from './unreadable-items.ts';

type ReadPorts = Pick<ControlPorts, 'ledger' | 'gates' | 'clock'> & {
  readonly changes: Pick<ChangeLedger, 'readChange'>;
};

const DEFAULT_LIMIT = 20;

export const listExports: Route<typeof ROUTES.listExports, ReadPorts, unknown> = async (
  call,
  ports,
) => {
  const { connection, input, log } = call;
  const { limit = DEFAULT_LIMIT, after: text, list } = input.query;
  const after = text === undefined ? undefined : parseCursor(connection, text);
  if (text !== undefined && after === undefined) {
    return invalidRequest('after', `after: ${AFTER_EXPECTED}.`);
  }
  const [{ queued, exports, unreadable, next }, gate] = await Promise.all([
    readHistory(ports.ledger, connection, { limit, after, list }),
    ports.gates.read(connection),
  ]);
  const nowMs = ports.clock.now();
  const views = exports.map(async (state) =>
    exportView(state, gate, nowMs, await readChangeOf(ports.changes, state, log)),
  );
  return jsonAnswer(200, {
    queued: queued.map(queuedView),
    exports: await Promise.all(views),
    unreadable: unreadableItems(unreadable, log),
    next: next === undefined ? null : cursorText(connection, next),
  });
};

export const showExport: Route<typeof ROUTES.showExport, ReadPorts, unknown> = async (
  call,
  ports,
) => {
  const { connection, input, log } = call;
  const { exportId } = input.path;
  const [found, gate] = await Promise.all([
    findExport(ports.ledger, connection, exportId),
    ports.gates.read(connection),
  ]);
  if (found?.kind === 'queued') return jsonAnswer(200, queuedView(found.queued));
  if (found === undefined) return unknownExport(connection);
  const change = await readChangeOf(ports.changes, found.state, log);
  return jsonAnswer(200, exportView(found.state, gate, ports.clock.now(), change));
};

export function unknownExport(connection: string): Problem {
  return problem(
    'unknown-export',
    `exportId: expected an export of connection ${connection}. The ledger forgets an export historyDays after its start.`,
    { field: 'exportId' },
  );
}
