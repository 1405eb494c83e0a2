import type { Gate } from '../gate/ports.ts';
import { sweepEach } from '../steps/sweep.ts';
import { wakeOpened } from '../steps/wake-opened.ts';
import type { QueuePorts } from './ports.ts';
import { writeSteps } from './write-steps.ts';

/** Hides the latency of the ledger: 2,000 writes, the most that are listed, take some seconds. */
const SIDE_BY_SIDE = 25;

/**
 * Sends the wake-ups of the writes that waited for the gate that was opened. Safe to repeat. One whose ledger or queue
 * fails goes on with the message that it has on its way.
 */
export async function wakeOpenedWrites(
  ports: QueuePorts,
  connection: string,
  gate: Gate,
): Promise<void> {
  const names = await ports.ledger.listUnfinished(Number.MAX_SAFE_INTEGER, connection);
  const kind = writeSteps(ports);
  await sweepEach(names, SIDE_BY_SIDE, async ({ writeId }) => {
    const state = await ports.ledger.readWrite(connection, writeId);
    if (state !== undefined) await wakeOpened(kind, state, gate);
  });
}
