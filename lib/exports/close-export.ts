import { errorName } from '../errors.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { exportIdOf } from './export-id.ts';
import type { ActiveExport, EndKind, ExportState, LongWait } from './export-state.ts';
import { EXPORT_MEANING, exportSteps } from './export-steps.ts';
import type { ControlPorts, ExportEvent } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/**
 * Publishes the remaining events of a stopped export. Then another export of the connection can start, unless this
 * one is only halted; the successor of one that ended by a change of the organization takes its place. Safe to
 * repeat. The active-export item is deleted last: while it exists, the sweep retries an export whose events are not
 * published.
 *
 * @returns The stored state, unless another process has written it since.
 */
export async function closeExport(ports: ControlPorts, state: ExportState): Promise<ExportState> {
  const told = await announce(ports, state);
  if (EXPORT_MEANING.restOf(state) === 'over') {
    const successor = successorOf(state);
    if (successor === undefined) await ports.ledger.clearActive(state.connection, state.exportId);
    else await ports.ledger.replaceActive(successor, state.exportId);
  }
  return told ?? state;
}

/**
 * The export that is begun in place of one that ended because the organization changed: whoever asked for an export
 * of the connection still waits for one. The same for every caller.
 */
export function successorOf(state: ExportState): ActiveExport | undefined {
  const { connection, exportId, reason, updatedAtMs: sinceMs } = state;
  if (reason?.code !== 'organization-changed') return undefined;
  const trigger = { kind: 'organization', endedExportId: exportId } as const;
  return { connection, exportId: exportIdOf(connection, trigger), sinceMs };
}

/**
 * Publishes the remaining events of an export, then stores that they are published. Safe to repeat.
 *
 * @returns The stored state, or `undefined` when another process has written it since.
 */
async function announce(ports: ControlPorts, state: ExportState): Promise<ExportState | undefined> {
  if (state.unannounced.length === 0) return state;
  for (const told of state.unannounced) await ports.events.publish(eventOf(state, told));
  return replaceItem(exportSteps(ports), state, { ...state, unannounced: [] });
}

/**
 * Publishes the events of a running export. A failure does not delay the export: the events stay in the state,
 * for the next wake-up and in the end for {@link closeExport}.
 *
 * @returns The name of the error, if publishing failed.
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
    // A resumed export can halt or fail again; the step keeps these event ids apart.
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
