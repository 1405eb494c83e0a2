import * as v from 'valibot';
import { readHistory } from '../../lib/exports/export-history.ts';
import { jsonAnswer } from './answer.ts';
import { cursorText, parseCursor } from './cursor.ts';
import { exportView } from './export-view.ts';
import { invalid, readFields, wholeNumber } from './request.ts';
import type { Route } from './route.ts';

const DEFAULT_LIMIT = 20;
/** Each export takes about 1 KB in the answer, and one more read. */
const MAX_LIMIT = 100;
/** A cursor has about 150 characters; names of connections have up to 63. */
const MAX_CURSOR_LENGTH = 400;

const AFTER_EXPECTED = 'expected the value of next from the page before';

const QuerySchema = v.strictObject({
  limit: v.exactOptional(wholeNumber(1, MAX_LIMIT)),
  after: v.exactOptional(
    v.pipe(v.string(AFTER_EXPECTED), v.maxLength(MAX_CURSOR_LENGTH, AFTER_EXPECTED)),
  ),
});

/** `GET /connections/{connection}/exports?limit=&after=`, newest first. */
export const listExports: Route = async ({ request, connection, ports }) => {
  const query = readFields(QuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const { limit = DEFAULT_LIMIT, after: text } = query.fields;
  const after = text === undefined ? undefined : parseCursor(connection, text);
  if (text !== undefined && after === undefined) {
    return invalid('after', `after: ${AFTER_EXPECTED}.`);
  }
  const [{ exports, next }, gate] = await Promise.all([
    readHistory(ports.ledger, connection, limit, after),
    ports.gates.read(connection),
  ]);
  const nowMs = ports.clock.now();
  return jsonAnswer(200, {
    exports: exports.map((state) => exportView(state, gate, nowMs)),
    next: next === undefined ? null : cursorText(connection, next),
  });
};
