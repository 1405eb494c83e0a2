import { errorName } from '../errors.ts';
import { fail } from './after-step.ts';
import { brokenBound } from './bounds.ts';
import { closeExport } from './close-export.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ActiveExport, ExportState } from './export-state.ts';
import type { ControlPorts } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { resumeHalted } from './resume-export.ts';
import { sendWakeUp } from './send-wake-up.ts';
import { ensureExport } from './start-export.ts';

/**
 * How long after it was due an export may show no progress. A message on its way needs seconds; waking
 * too early costs one message that is dropped.
 */
export const STALL_GRACE_MS = 5 * 60 * 1000;

/** What the sweep finds to do for one unfinished export. */
export type SweepDecision = 'nothing' | 'close' | 'resume' | 'expire' | 'wake';

export interface Swept {
  readonly connection: string;
  readonly exportId: string;
  readonly result: SweepDecision | 'still-halted' | 'error';
  /** Name of the error that a port threw. */
  readonly problem?: string;
}

/**
 * Decides from the ledger alone, since a message that was lost leaves no trace elsewhere.
 *
 * @param blockedUntilMs Of the gate.
 */
export function decideSweep(
  state: ExportState,
  blockedUntilMs: number,
  nowMs: number,
  settings: ExportSettings,
): SweepDecision {
  if (state.status === 'completed' || state.status === 'failed') return 'close';
  if (state.status === 'halted') {
    return brokenBound(state, 0, nowMs, settings)?.code === 'deadline' ? 'expire' : 'resume';
  }
  const dueAtMs = Math.max(
    state.updatedAtMs,
    state.lease?.untilMs ?? 0,
    // What remains after the end of the list waits for nothing.
    ...(state.end === undefined ? [state.notBeforeMs, blockedUntilMs] : []),
  );
  return nowMs >= dueAtMs + STALL_GRACE_MS ? 'wake' : 'nothing';
}

/**
 * Goes through all unfinished exports and sets going again what stands still: a lost message, a crash
 * between two writes, an event that did not get out, a halted connection with a new key. One that cannot
 * be helped now does not keep the others from it; the next sweep comes back to it.
 *
 * @param connection Only this one's. @default - those of all connections
 */
export async function wakeStalled(
  ports: ControlPorts,
  settingsOf: (connection: string) => ExportSettings,
  connection?: string,
): Promise<readonly Swept[]> {
  const swept: Swept[] = [];
  for (const active of await activeExports(ports, connection)) {
    const settings = settingsOf(active.connection);
    const found = await sweepOne(ports, settings, active).then((result) => ({ result }), problemOf);
    swept.push({ connection: active.connection, exportId: active.exportId, ...found });
  }
  return swept;
}

async function activeExports(
  { ledger }: ControlPorts,
  connection: string | undefined,
): Promise<readonly ActiveExport[]> {
  if (connection === undefined) return ledger.listActive();
  // Not through the index, which may lag behind.
  const active = await ledger.readActive(connection);
  return active === undefined ? [] : [active];
}

function problemOf(error: unknown): Pick<Swept, 'result' | 'problem'> {
  return { result: 'error', problem: errorName(error) };
}

async function sweepOne(
  ports: ControlPorts,
  settings: ExportSettings,
  active: ActiveExport,
): Promise<Swept['result']> {
  const state = await ensureExport(ports, settings, active);
  const { blockedUntilMs } = await ports.gates.read(active.connection);
  const nowMs = ports.clock.now();
  const decision = decideSweep(state, blockedUntilMs, nowMs, settings);
  switch (decision) {
    case 'nothing':
      break;
    case 'close':
      await closeExport(ports, state);
      break;
    case 'resume': {
      const resumed = await resumeHalted(ports, await closeExport(ports, state));
      return resumed.kind === 'resumed' ? 'resume' : 'still-halted';
    }
    case 'expire':
      await expire(ports, settings, state, nowMs);
      break;
    case 'wake':
      await sendWakeUp(ports, state);
      break;
  }
  return decision;
}

/** A halted export that nobody gave a key in time makes room for a new one. */
async function expire(
  ports: ControlPorts,
  settings: ExportSettings,
  state: ExportState,
  nowMs: number,
): Promise<void> {
  const reason = brokenBound(state, 0, nowMs, settings);
  if (reason === undefined) return;
  const failed = await replaceState(ports, state, fail(state, reason, nowMs));
  if (failed !== undefined) await closeExport(ports, failed);
}
