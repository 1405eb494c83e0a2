import { readHistory } from '../../lib/exports/export-history.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import { jsonAnswer } from './answer.ts';
import { cursorText, parseCursor } from './cursor.ts';
import { exportView } from './export-view.ts';
import { invalidRequest, type Problem, problem } from './problem.ts';
import { AFTER_EXPECTED, type ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unreadableItems } from './unreadable-items.ts';

type ReadPorts = Pick<ControlPorts, 'ledger' | 'gates' | 'clock'>;

const DEFAULT_LIMIT = 20;

export const listExports: Route<typeof ROUTES.listExports, ReadPorts> = async (call, ports) => {
  const { connection, input, log } = call;
  const { limit = DEFAULT_LIMIT, after: text } = input.query;
  const after = text === undefined ? undefined : parseCursor(connection, text);
  if (text !== undefined && after === undefined) {
    return invalidRequest('after', `after: ${AFTER_EXPECTED}.`);
  }
  const [{ exports, unreadable, next }, gate] = await Promise.all([
    readHistory(ports.ledger, connection, limit, after),
    ports.gates.read(connection),
  ]);
  const nowMs = ports.clock.now();
  return jsonAnswer(200, {
    exports: exports.map((state) => exportView(state, gate, nowMs)),
    unreadable: unreadableItems(unreadable, log),
    next: next === undefined ? null : cursorText(connection, next),
  });
};

export const showExport: Route<typeof ROUTES.showExport, ReadPorts> = async (call, ports) => {
  const { connection, input } = call;
  const [state, gate] = await Promise.all([
    ports.ledger.readExport(connection, input.path.exportId),
    ports.gates.read(connection),
  ]);
  if (state !== undefined) return jsonAnswer(200, exportView(state, gate, ports.clock.now()));
  return unknownExport(connection);
};

export function unknownExport(connection: string): Problem {
  return problem(
    'unknown-export',
    `exportId: expected an export of connection ${connection}. The ledger forgets an export historyDays after its start.`,
    { field: 'exportId' },
  );
}
