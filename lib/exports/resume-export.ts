import { usableConnection } from '../gate/usable-connection.ts';
import { replaceItem, wakeItem } from '../steps/step-kind.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import { resume, stillHalted } from './export-transitions.ts';
import type { ControlPorts } from './ports.ts';

export type Resumed =
  | { readonly kind: 'resumed'; readonly state: ExportState }
  | { readonly kind: 'still-halted'; readonly state: ExportState };

/** The worker that halts the export also marks its event as published; more concurrent writers are unlikely. */
const MAX_TRIES = 3;

/**
 * Resumes a halted export where it stopped, if the connection has a key version that may be sent. If its halt is not
 * told yet, its next step tells it. Otherwise it says from now on what is wrong with the key of now.
 */
export async function resumeHalted(ports: ControlPorts, halted: ExportState): Promise<Resumed> {
  const gate = await ports.gates.read(halted.connection);
  const opened = await usableConnection(ports.connections, halted.connection, gate);
  if (opened.kind !== 'open') {
    const state = stillHalted(halted, opened);
    const stored = state === halted || (await replaceItem(exportSteps(ports), halted, state));
    return { kind: 'still-halted', state: typeof stored === 'object' ? stored : state };
  }
  let state = halted;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const resumed = await replaceItem(exportSteps(ports), state, resume(state, ports.clock.now()));
    if (resumed !== undefined) {
      await wakeItem(exportSteps(ports), resumed);
      return { kind: 'resumed', state: resumed };
    }
    const current = await ports.ledger.readExport(state.connection, state.exportId);
    // Another process has resumed it and sends the wake-up.
    if (current?.status !== 'halted') return { kind: 'resumed', state: current ?? state };
    state = current;
  }
  return { kind: 'still-halted', state };
}
