import { defined } from '../defined.ts';
import { replaceItem } from '../steps/step-kind.ts';
import { sweepEach, untilBusFails } from '../steps/sweep.ts';
import type {
  Cancellation,
  EndKind,
  ExportReason,
  ExportState,
  Interruption,
} from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import type { ControlPorts, ExportEvent, ExportName } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/** Publishes the remaining events of an export, then stores that they are published. Safe to repeat. */
async function announce(ports: ControlPorts, state: ExportState): Promise<void> {
  if (state.unannounced.length === 0) return;
  for (const told of state.unannounced) await ports.events.publish(eventOf(state, told));
  await replaceItem(exportSteps(ports), state, { ...state, unannounced: [] });
}

/**
 * Publishes the remaining events, while a failure delays nothing: the events stay in the state, for the next wake-up
 * and in the end for the sweep.
 *
 * @returns What was thrown, if publishing failed.
 */
export async function announceMeanwhile(ports: ControlPorts, state: ExportState): Promise<unknown> {
  try {
    await announce(ports, state);
    return undefined;
  } catch (error) {
    return error;
  }
}

/** @returns Publishes what is untold of some exports, as long as the event bus takes it; tells of those it was tried with. */
export function teller(ports: ControlPorts) {
  const bus = untilBusFails(ports.events);
  return async (untold: readonly ExportName[]) => {
    const told = await sweepEach(untold, ({ connection, exportId }) =>
      bus(async (events) => {
        const state = await ports.ledger.readExport(connection, exportId);
        if (state === undefined || state.unannounced.length === 0) return 'nothing';
        await announce({ ...ports, events }, state);
        return 'close';
      }),
    );
    return told.filter(({ result }) => result !== 'nothing');
  };
}

function eventOf(state: ExportState, told: EndKind | Interruption): ExportEvent {
  return typeof told === 'string' ? endEvent(state, told) : interruptionEvent(state, told);
}

function endEvent(state: ExportState, kind: EndKind): ExportEvent {
  const { connection, list, exportId, counters, completeness, reason, cancellation } = state;
  return {
    id: eventId(state, kind, state.step),
    kind,
    atMs: cancellation?.atMs ?? state.updatedAtMs,
    connection,
    list,
    exportId,
    pages: counters.pages,
    customers: counters.customers,
    ...defined({
      manifestKey: kind === 'completed' ? manifestKey(state) : undefined,
      completeness: completeness?.verdict,
    }),
    ...(kind === 'cancelled' ? cancelFacts(cancellation) : reasonFacts(reason, kind)),
  };
}

function reasonFacts(reason: ExportReason | undefined, kind: EndKind) {
  const { code: reasonCode, message: reasonMessage, resumeAtMs } = reason ?? {};
  return defined({
    reasonCode,
    reasonMessage,
    resumeAtMs: kind === 'failed' ? resumeAtMs : undefined,
  });
}

function cancelFacts({ by, reason, parts }: Partial<Cancellation> = {}) {
  return defined({ by, reason, parts });
}

function interruptionEvent(state: ExportState, told: Interruption): ExportEvent {
  const { kind, step, atMs, pages, customers, ...rest } = told;
  const { connection, list, exportId } = state;
  const id = eventId(state, kind, step);
  return { id, kind, atMs, connection, list, exportId, pages, customers, ...defined(rest) };
}

/** A resumed export can wait or halt again; the step keeps these ids apart. */
function eventId({ connection, exportId }: ExportState, kind: string, step: number): string {
  return `${connection}/${exportId}/${kind}/${step}`;
}
