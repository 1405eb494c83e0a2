import { delaySecondsUntil } from '../steps/delay.ts';
import type { ExportState } from './export-state.ts';
import type { ControlPorts } from './ports.ts';
import { replaceState } from './replace-state.ts';
import { wakeUpOf } from './wake-up.ts';

/**
 * Sends the wake-up that the committed state asks for, then marks it sent. In this order, since a mark
 * without a message would leave the export asleep, while a message without a mark is at worst sent
 * twice. That the mark fails means that somebody has gone on already.
 *
 * @returns The state as stored, or `undefined` when somebody else has written since.
 */
export async function sendWakeUp(
  ports: ControlPorts,
  state: ExportState,
): Promise<ExportState | undefined> {
  const nowMs = ports.clock.now();
  await ports.queue.send(wakeUpOf(state), delaySecondsUntil(state.notBeforeMs, nowMs));
  return replaceState(ports, state, { ...state, wakeUpSent: true, updatedAtMs: nowMs });
}
