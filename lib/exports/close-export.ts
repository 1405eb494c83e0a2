import { wakeItem } from '../steps/step-kind.ts';
import { announceMeanwhile } from './announce.ts';
import { type ExportRules, ensureExport } from './begin-export.ts';
import { isLeaving } from './cancelled.ts';
import { changeLine } from './change-line.ts';
import { exportIdOf } from './export-id.ts';
import { type LineEntry, left, replaced } from './export-line.ts';
import type { ExportState } from './export-state.ts';
import { EXPORT_MEANING, exportSteps, hasLeftLine } from './export-steps.ts';
import type { ControlPorts } from './ports.ts';

/**
 * Ends the turn of a stopped export, then publishes its remaining events. An event bus that takes nothing holds up no
 * other list, and no message: the sweep tells what is untold. It finds an export that is over by its events
 * (`sweepAtMs`), and a halted one by its line. Safe to repeat.
 *
 * @returns What was thrown, if publishing failed.
 */
export async function closeExport(
  ports: ControlPorts,
  rules: ExportRules,
  state: ExportState,
): Promise<unknown> {
  await endTurn(ports, rules, state);
  return announceMeanwhile(ports, state);
}

/**
 * An export that is over, or whose line no longer waits for it, leaves the line, and the next one begins. While one is only halted, all wait
 * for its key. The successor of one that ended by a change of the organization takes its place. Safe to repeat: after
 * it left, a repeat begins the next one, if a crash came between. One that was cancelled stays until its worker has left.
 */
export async function endTurn(
  ports: ControlPorts,
  rules: ExportRules,
  state: ExportState,
): Promise<void> {
  if (!hasLeftLine(state) || isLeaving(state, ports.clock.now())) return;
  const [head] = await leaveLine(ports, state);
  if (head !== undefined) await beginNext(ports, rules, state.connection, head);
}

/** @returns The line afterwards. */
function leaveLine(ports: ControlPorts, state: ExportState): Promise<readonly LineEntry[]> {
  const { connection, exportId } = state;
  const successor = successorOf(state);
  return changeLine(ports, connection, (entries) =>
    successor === undefined
      ? left(entries, exportId, ports.clock.now())
      : replaced(entries, exportId, successor),
  );
}

async function beginNext(
  ports: ControlPorts,
  rules: ExportRules,
  connection: string,
  head: LineEntry,
): Promise<void> {
  const state = await ensureExport(ports, rules, connection, head);
  if (state === undefined) return;
  if (EXPORT_MEANING.restOf(state) === 'over') await endTurn(ports, rules, state);
  else await wakeIfAsleep(ports, state);
}

/** Sends the wake-up that a crash prevented. */
export async function wakeIfAsleep(ports: ControlPorts, state: ExportState): Promise<void> {
  const isAsleep = state.status === 'running' && !state.wakeUpSent && state.lease === undefined;
  if (isAsleep) await wakeItem(exportSteps(ports), state);
}

/**
 * The export that is begun in place of one that ended because the organization changed: whoever asked for an export
 * of the list still waits for one. The same for every caller.
 */
export function successorOf(state: ExportState): LineEntry | undefined {
  const { connection, list, exportId, reason, updatedAtMs: sinceMs } = state;
  if (reason?.code !== 'organization-changed') return undefined;
  const trigger = { kind: 'organization', endedExportId: exportId } as const;
  return { list, exportId: exportIdOf(connection, list, trigger), sinceMs };
}
