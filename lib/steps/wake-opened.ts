import type { Gate } from '../gate/ports.ts';
import { dueAtMs } from './due-at.ts';
import { isHeld, type StepItem } from './step-item.ts';
import type { StepKind } from './step-kind.ts';

/**
 * Sends the wake-up of an item that waited for a gate which a person opened. The item does not change: the wake-up
 * that is on its way finds the step done, and is all there is if this call is lost.
 */
export async function wakeOpened<Item extends StepItem>(
  kind: Pick<StepKind<Item>, 'clock' | 'restOf' | 'send'>,
  item: Item,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
): Promise<void> {
  const nowMs = kind.clock.now();
  const needsNone = kind.restOf(item) !== undefined || isHeld(item, nowMs);
  if (!needsNone && dueAtMs(item, gate) <= nowMs) await kind.send(item, 0);
}
