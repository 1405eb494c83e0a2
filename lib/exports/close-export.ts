import { errorName } from '../errors.ts';
import { replaceItem } from '../steps/step-kind.ts';
import type { EndKind, ExportState, LongWait } from './export-state.ts';
import { EXPORT_MEANING, exportSteps } from './export-steps.ts';
import type { ControlPorts, ExportEvent } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/**
 * Publishes what is still to be told of an export that runs no more, then lets the connection start
 * another one, unless this one is only halted. Repeating does no harm. The active-export item goes last:
 * as long as it is there the sweep comes back to an export whose events are not out.
 *
 * @returns The state as stored, unless somebody else has written since.
 */
export async function closeExport(ports: ControlPorts, state: ExportState): Promise<ExportState> {
  const told = await announce(ports, state);
  if (EXPORT_MEANING.restOf(state) === 'over') {
    await ports.ledger.clearActive(state.connection, state.exportId);
  }
  return told ?? state;
}

/**
 * Publishes what is still to be told of an export, then notes that it was. Repeating does no harm.
 *
 * @returns The state as stored, or `undefined` when somebody else has written since.
 * @throws What a port throws.
 */
export async function announce(
  ports: ControlPorts,
  state: ExportState,
): Promise<ExportState | undefined> {
  if (state.unannounced.length === 0) return state;
  for (const told of state.unannounced) await ports.events.publish(eventOf(state, told));
  return replaceItem(exportSteps(ports), state, { ...state, unannounced: [] });
}

/**
 * The same for an export that goes on: whether anybody hears of it must not hold it up. What did not get
 * out stays in the state, for the next wake-up and at last for the end of the export.
 *
 * @returns The name of the error that kept it.
 */
export async function announceMeanwhile(
  ports: ControlPorts,
  state: ExportState,
): Promise<string | undefined> {
  try {
    await announce(ports, state);
    return undefined;
  } catch (error) {
    return errorName(error);
  }
}

function eventOf(state: ExportState, told: EndKind | LongWait): ExportEvent {
  return typeof told === 'string' ? endEvent(state, told) : longWaitEvent(state, told);
}

function endEvent(state: ExportState, kind: EndKind): ExportEvent {
  const { connection, exportId, counters, completeness, reason } = state;
  return {
    // A resumed export can halt or fail again: the step tells the occasions apart.
    id: eventId(state, kind, state.step),
    kind,
    atMs: state.updatedAtMs,
    connection,
    exportId,
    pages: counters.pages,
    customers: counters.customers,
    ...(kind === 'completed' ? { manifestKey: manifestKey(connection, exportId) } : {}),
    ...(completeness === undefined ? {} : { completeness: completeness.verdict }),
    ...(reason === undefined ? {} : { reasonCode: reason.code, reasonMessage: reason.message }),
    ...(kind === 'failed' && reason?.resumeAtMs !== undefined
      ? { resumeAtMs: reason.resumeAtMs }
      : {}),
  };
}

function longWaitEvent(state: ExportState, wait: LongWait): ExportEvent {
  const { kind, step, atMs, untilMs, pages, customers } = wait;
  const { connection, exportId } = state;
  const id = eventId(state, kind, step);
  return { id, kind, atMs, connection, exportId, pages, customers, untilMs };
}

function eventId({ connection, exportId }: ExportState, kind: string, step: number): string {
  return `${connection}/${exportId}/${kind}/${step}`;
}
