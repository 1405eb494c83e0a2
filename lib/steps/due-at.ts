import type { Gate } from '../gate/ports.ts';
import type { StepItem } from './step-item.ts';

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
