import type { Gate } from '../gate/ports.ts';
import { isHeld, type StepItem } from './step-item.ts';
import type { StepKind } from './step-kind.ts';

/**
 * When an item may go on: neither its own wait nor that of the gate is over before. What it waited for when a person
 * opened the gate no longer counts.
 *
 * @returns Milliseconds since the epoch.
 */
export function dueAtMs(
  {
    notBeforeMs,
    updatedAtMs,
    waitsSinceMs = updatedAtMs,
  }: Pick<StepItem, 'notBeforeMs' | 'updatedAtMs' | 'waitsSinceMs'>,
  { blockedUntilMs, opening }: Pick<Gate, 'blockedUntilMs' | 'opening'>,
): number {
  const isBeforeOpening = opening !== undefined && waitsSinceMs <= opening.atMs;
  return isBeforeOpening ? blockedUntilMs : Math.max(notBeforeMs, blockedUntilMs);
}

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
  if (!needsNone && dueAtMs(item, gate) <= nowMs) await kind.send(item);
}
