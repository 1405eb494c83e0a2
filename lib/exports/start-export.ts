import { startWalk } from '../customers-api/walk-state.ts';
import { wakeItem } from '../steps/step-kind.ts';
import { closeExport } from './close-export.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ActiveExport, ExportState } from './export-state.ts';
import { EXPORT_MEANING, exportSteps } from './export-steps.ts';
import type { ControlPorts, ExportPorts } from './ports.ts';
import { resumeHalted } from './resume-export.ts';

export type Started =
  /** This trigger's export is running; this call or an earlier delivery started it. */
  | { readonly kind: 'started'; readonly state: ExportState }
  /** An export of another trigger is already running for the connection. */
  | { readonly kind: 'joined'; readonly state: ExportState }
  /** A halted export continues with a new key version. */
  | { readonly kind: 'resumed'; readonly state: ExportState }
  /** The export is halted, and there is no new key version. */
  | { readonly kind: 'halted'; readonly state: ExportState }
  /** This trigger was delivered again; its export is over. */
  | { readonly kind: 'over'; readonly state: ExportState };

/** An export may end during the join and make room for a new one. More often than this is a defect. */
const MAX_TRIES = 3;

/**
 * Starts an export of the connection, or joins the running one.
 *
 * @param exportId From `exportIdOf`.
 * @throws What a port throws: deliver the trigger again; a repeat starts no second export.
 */
export async function startExport(
  ports: ControlPorts,
  settings: ExportSettings,
  connection: string,
  exportId: string,
): Promise<Started> {
  const known = await ports.ledger.readExport(connection, exportId);
  if (known !== undefined && isOver(known)) {
    await closeExport(ports, known);
    return { kind: 'over', state: known };
  }
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const wanted = { connection, exportId, sinceMs: ports.clock.now() };
    const active = await ports.ledger.putActiveIfAbsent(wanted);
    const state = await ensureExport(ports, settings, active);
    if (isOver(state)) {
      await closeExport(ports, state);
      if (state.exportId === exportId) return { kind: 'over', state };
      continue;
    }
    if (state.status === 'halted') {
      const resumed = await resumeHalted(ports, state);
      const kind = resumed.kind === 'resumed' ? 'resumed' : 'halted';
      return { kind, state: resumed.state };
    }
    if (!state.wakeUpSent && state.lease === undefined) await wakeItem(exportSteps(ports), state);
    return { kind: state.exportId === exportId ? 'started' : 'joined', state };
  }
  throw new Error(
    `Exports of ${connection} ended ${MAX_TRIES} times during this start. Start again.`,
  );
}

/** The export that the active-export item names. It is created here if a crash came between the two writes. */
export async function ensureExport(
  ports: Pick<ExportPorts, 'ledger' | 'random'>,
  settings: ExportSettings,
  active: ActiveExport,
): Promise<ExportState> {
  const known = await ports.ledger.readExport(active.connection, active.exportId);
  if (known !== undefined) return known;
  const initial = initialState(active, settings, ports.random.token());
  const result = await ports.ledger.writeExport(initial, undefined);
  return result.kind === 'conflict' && result.current !== undefined ? result.current : initial;
}

function isOver(state: ExportState): boolean {
  return EXPORT_MEANING.restOf(state) === 'over';
}

const DAY_MS = 24 * 3600 * 1000;

/** The state of an export before its first step; the same for every process that creates it. */
export function initialState(
  active: ActiveExport,
  settings: ExportSettings,
  writeToken: string,
): ExportState {
  const { sinceMs } = active;
  return {
    v: 1,
    connection: active.connection,
    exportId: active.exportId,
    writeToken,
    status: 'running',
    plan: {
      resource: settings.resource,
      perPage: settings.perPage,
      firstPage: settings.firstPage,
    },
    startedAtMs: sinceMs,
    deadlineAtMs: sinceMs + settings.maxDurationSeconds * 1000,
    deleteAfterMs: sinceMs + settings.historyDays * DAY_MS,
    updatedAtMs: sinceMs,
    step: 0,
    wakeUpSent: false,
    notBeforeMs: 0,
    walk: startWalk(settings.firstPage),
    parts: { count: 0, storedBytes: 0 },
    counters: { pages: 0, customers: 0, bytes: 0, requests: 0, throttles: 0, waitedSeconds: 0 },
    inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
    lastRequestAtMs: 0,
    keyVersions: [],
    idKeys: [],
    unannounced: [],
  };
}
