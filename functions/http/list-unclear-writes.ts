import * as v from 'valibot';
import { jsonAnswer } from './answer.ts';
import { readFields } from './request.ts';
import type { WriteRoute } from './write-route.ts';
import { writeView } from './write-view.ts';

const STATUS_EXPECTED = 'expected unclear: only writes that wait for a person are listed';

const QuerySchema = v.strictObject({
  status: v.optional(v.literal('unclear', STATUS_EXPECTED), 'unclear'),
});

/** Each takes about 1 KB in the answer, and one more read. */
const MAX_LISTED = 50;

/** `GET /connections/{connection}/writes?status=unclear`, oldest first. */
export const listUnclearWrites: WriteRoute = async ({ request, connection, ports }) => {
  const query = readFields(QuerySchema, request.query);
  if (query.kind === 'problem') return query;
  const names = await ports.ledger.listUnclear(connection);
  const read = names
    .slice(0, MAX_LISTED)
    .map(({ writeId }) => ports.ledger.readWrite(connection, writeId));
  const nowMs = ports.clock.now();
  const writes = (await Promise.all(read))
    // The index lags behind: what was settled a moment ago is left out.
    .filter((state) => state?.status === 'unclear')
    .flatMap((state) => (state === undefined ? [] : [writeView(state, nowMs)]));
  return jsonAnswer(200, { writes, hasMore: names.length > MAX_LISTED });
};
