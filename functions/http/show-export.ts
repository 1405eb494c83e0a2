import * as v from 'valibot';
import { EXPORT_ID } from '../../lib/names.ts';
import { jsonAnswer } from './answer.ts';
import { exportView } from './export-view.ts';
import { problem } from './problem.ts';
import { readFields } from './request.ts';
import type { Route } from './route.ts';

const ID_EXPECTED = 'expected 1 to 80 small letters, digits and hyphens, a hyphen not first';

const PathSchema = v.object({
  exportId: v.pipe(v.string(ID_EXPECTED), v.regex(EXPORT_ID, ID_EXPECTED)),
});

const NoQuerySchema = v.strictObject({});

/** `GET /connections/{connection}/exports/{exportId}` */
export const showExport: Route = async ({ request, connection, ports }) => {
  const path = readFields(PathSchema, request.path);
  if (path.kind === 'problem') return path;
  const query = readFields(NoQuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const { exportId } = path.fields;
  const [state, gate] = await Promise.all([
    ports.ledger.readExport(connection, exportId),
    ports.gates.read(connection),
  ]);
  if (state !== undefined) return jsonAnswer(200, exportView(state, gate, ports.clock.now()));
  return problem(
    'unknown-export',
    `exportId: expected an export of connection ${connection}. The ledger forgets an export historyDays after its start.`,
    { field: 'exportId' },
  );
};
