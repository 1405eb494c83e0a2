import { announce } from './announce.ts';
import type { ExportState } from './export-state.ts';
import { EXPORT_MEANING } from './export-steps.ts';
import type { ControlPorts } from './ports.ts';

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
