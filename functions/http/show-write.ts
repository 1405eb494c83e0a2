import { jsonAnswer } from './answer.ts';
import { readFields } from './request.ts';
import { NoQuerySchema, unknownWrite, WritePathSchema, type WriteRoute } from './write-route.ts';
import { writeView } from './write-view.ts';

/** `GET /connections/{connection}/writes/{writeId}` */
export const showWrite: WriteRoute = async ({ request, connection, ports }) => {
  const path = readFields(WritePathSchema, request.path);
  if (path.kind === 'problem') return path;
  const query = readFields(NoQuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const state = await ports.ledger.readWrite(connection, path.fields.writeId);
  if (state === undefined) return unknownWrite(connection);
  return jsonAnswer(200, writeView(state, ports.clock.now()));
};
