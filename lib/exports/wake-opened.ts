import type { Gate } from '../gate/ports.ts';
import { wakeOpened } from '../steps/wake-opened.ts';
import { exportSteps } from './export-steps.ts';
import type { ControlPorts } from './ports.ts';

/** Sends the wake-up of the export whose turn it is, if it waited for the gate that was opened. Safe to repeat. */
export async function wakeOpenedExport(
  ports: Pick<ControlPorts, 'clock' | 'random' | 'ledger' | 'queue'>,
  connection: string,
  gate: Gate,
): Promise<void> {
  const line = await ports.ledger.readLine(connection);
  const [head] = line?.entries ?? [];
  if (head === undefined) return;
  const state = await ports.ledger.readExport(connection, head.exportId);
  if (state !== undefined) await wakeOpened(exportSteps(ports), state, gate);
}
