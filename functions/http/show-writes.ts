import { listingOf, readable } from '../../lib/steps/unreadable-item.ts';
import type { WriteControlPorts } from '../services/ports.ts';
import { jsonAnswer } from './answer.ts';
import { type Problem, problem } from './problem.ts';
import type { ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';
import { unreadableItems } from './unreadable-items.ts';
import { writeView } from './write-view.ts';

interface ReadPorts {
  readonly ledger: Pick<WriteControlPorts['ledger'], 'listUnclear' | 'readWrite'>;
  readonly clock: Pick<WriteControlPorts['clock'], 'now'>;
}

/** Each takes about 1 KB in the answer, and one more read. */
const MAX_LISTED = 50;

export const listUnclearWrites: Route<typeof ROUTES.listUnclearWrites, ReadPorts, unknown> = async (
  { connection, log },
  { ledger, clock },
) => {
  const names = await ledger.listUnclear(connection);
  const read = names
    .slice(0, MAX_LISTED)
    .map(({ writeId }) => readable(ledger.readWrite(connection, writeId)));
  const nowMs = clock.now();
  const { items, unreadable } = listingOf(await Promise.all(read));
  // The index lags behind: what was settled a moment ago is left out.
  const unclear = items.filter(({ status }) => status === 'unclear');
  return jsonAnswer(200, {
    writes: unclear.map((state) => writeView(state, nowMs)),
    unreadable: unreadableItems(unreadable, log),
    hasMore: names.length > MAX_LISTED,
  });
};

export const showWrite: Route<typeof ROUTES.showWrite, ReadPorts, unknown> = async (
  { connection, input },
  { ledger, clock },
) => {
  const state = await ledger.readWrite(connection, input.path.writeId);
  if (state === undefined) return unknownWrite(connection);
  return jsonAnswer(200, writeView(state, clock.now()));
};

export function unknownWrite(connection: string): Problem {
  return problem(
    'unknown-write',
    `writeId: expected a write of connection ${connection}. The ledger forgets a write historyDays after its end.`,
    { field: 'writeId' },
  );
}
