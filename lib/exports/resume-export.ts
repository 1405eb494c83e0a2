import { resume } from './after-step.ts';
import { closeExport } from './close-export.ts';
import type { ExportState } from './export-state.ts';
import type { ControlPorts } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { sendWakeUp } from './send-wake-up.ts';
import { usableConnection } from './usable-connection.ts';

export type Resumed =
  | { readonly kind: 'resumed'; readonly state: ExportState }
  /** There is no key version that may be sent. */
  | { readonly kind: 'still-halted'; readonly state: ExportState };

/** Lets a halted export go on where it stopped if the connection has a key version that may be sent. */
export async function resumeHalted(ports: ControlPorts, state: ExportState): Promise<Resumed> {
  const gate = await ports.gates.read(state.connection);
  const opened = await usableConnection(ports.connections, state.connection, gate);
  if (opened.kind !== 'open') return { kind: 'still-halted', state };
  // The halt is told before the export forgets it.
  const told = await closeExport(ports, state);
  const resumed = await replaceState(ports, told, resume(told, ports.clock.now()));
  // Who was faster has resumed it and sends the wake-up.
  if (resumed === undefined) return { kind: 'resumed', state };
  await sendWakeUp(ports, resumed);
  return { kind: 'resumed', state: resumed };
}
