import { type ChangeState, ChangeStateSchema } from '../../../lib/changes/change-state.ts';
import { isWaiting, sweepAtMs } from '../../../lib/changes/change-steps.ts';
import { type ComparisonLine, ComparisonLineSchema } from '../../../lib/changes/comparison-line.ts';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import { LEDGER_ATTRIBUTES, openItems } from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const SORT_PREFIX = 'change#';

/** The partitions of the index; there are as many items as lists at most, a few of them at a time. */
const UNFINISHED = 'unfinished-changes';
const HELD = 'held-changes';

/** The items `change#<exportId>` and `changes#<list>`. */
export function createChangeItems(
  table: Pick<LedgerTable, 'get' | 'replace' | 'query'>,
): ChangeLedger {
  const listOpen = async (mark: string) => {
    const { items } = await table.query(openItems(mark, Number.MAX_SAFE_INTEGER, SORT_PREFIX));
    return items.map(({ connection, id: exportId }) => ({ connection, exportId }));
  };
  return {
    readChange: (connection, exportId) => table.get(placeOf(connection, exportId)),
    writeChange: (next, expectedToken) => {
      const place = placeOf(next.connection, next.exportId);
      return table.replace(place, next, expectedToken, openAttributes(next));
    },
    readComparisonLine: (connection, list) => table.get(linePlaceOf(connection, list)),
    writeComparisonLine: (next, expectedToken) =>
      table.replace(linePlaceOf(next.connection, next.list), next, expectedToken),
    listUnfinishedChanges: () => listOpen(UNFINISHED),
    listHeldChanges: () => listOpen(HELD),
  };
}

function placeOf(connection: string, exportId: string): ItemPlace<ChangeState> {
  return { connection, sort: `${SORT_PREFIX}${exportId}`, schema: ChangeStateSchema };
}

function linePlaceOf(connection: string, list: string): ItemPlace<ComparisonLine> {
  return { connection, sort: `changes#${list}`, schema: ComparisonLineSchema };
}

/** The attributes by which the index finds it, and without which it would be deleted in time; none when it is over. */
function openAttributes(state: ChangeState): Readonly<Record<string, string | number | undefined>> {
  const { openWrite, openWriteAtMs, timeToLive } = LEDGER_ATTRIBUTES;
  const dueAtMs = sweepAtMs(state);
  if (dueAtMs === undefined && !isWaiting(state)) return {};
  // While its list waits for it, it stays.
  return {
    [openWrite]: dueAtMs === undefined ? HELD : UNFINISHED,
    [openWriteAtMs]: dueAtMs ?? state.updatedAtMs,
    [timeToLive]: undefined,
  };
}
