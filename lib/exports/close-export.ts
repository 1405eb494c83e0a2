import type { ExportEventKind, ExportState } from './export-state.ts';
import type { ExportEvent, ExportPorts } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { manifestKey } from './store-keys.ts';

/**
 * Publishes what is still to be told of an export that runs no more, then lets the connection start
 * another one, unless this one is only halted. Repeating does no harm. The active-export item goes last:
 * as long as it is there the sweep comes back to an export whose events are not out.
 *
 * @returns The state as stored, unless somebody else has written since.
 */
export async function closeExport(
  ports: Pick<ExportPorts, 'events' | 'ledger' | 'random'>,
  state: ExportState,
): Promise<ExportState> {
  for (const kind of state.unannounced) await ports.events.publish(eventOf(state, kind));
  const told =
    state.unannounced.length > 0
      ? await replaceState(ports, state, { ...state, unannounced: [] })
      : state;
  if (state.status === 'completed' || state.status === 'failed') {
    await ports.ledger.clearActive(state.connection, state.exportId);
  }
  return told ?? state;
}

function eventOf(state: ExportState, kind: ExportEventKind): ExportEvent {
  const { connection, exportId, counters, completeness, reason } = state;
  return {
    // A resumed export can halt or fail again: the step tells the occasions apart.
    id: `${connection}/${exportId}/${kind}/${state.step}`,
    kind,
    atMs: state.updatedAtMs,
    connection,
    exportId,
    pages: counters.pages,
    customers: counters.customers,
    ...(kind === 'completed' ? { manifestKey: manifestKey(connection, exportId) } : {}),
    ...(completeness === undefined ? {} : { completeness: completeness.verdict }),
    ...(reason === undefined ? {} : { reasonCode: reason.code, reasonMessage: reason.message }),
  };
}
