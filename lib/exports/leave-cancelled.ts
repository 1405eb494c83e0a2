import { isHeld } from '../steps/step-item.ts';
import { replaceItem } from '../steps/step-kind.ts';
import type { ExportRules } from './begin-export.ts';
import { awaitsRemoval, isLeaving, leftBehind } from './cancelled.ts';
import { closeExport } from './close-export.ts';
import type { ExportState } from './export-state.ts';
import { exportSteps } from './export-steps.ts';
import type { ExportPorts } from './ports.ts';
import { exportPrefix } from './store-objects.ts';

/** `held`: another worker is at it. */
interface LeftExport {
  readonly kind: 'left' | 'held';
  readonly state: ExportState;
  /** What was thrown, if publishing failed. */
  readonly untold?: unknown;
}

/** Who cancels it marks its event as published, and may do so twice; more concurrent writers are unlikely. */
const MAX_TRIES = 5;

/**
 * Leaves a cancelled export: removes its parts, if that was asked for, gives its lease back and lets the next export
 * of the connection begin. Safe to repeat.
 */
export async function leaveCancelled(
  ports: ExportPorts,
  rules: ExportRules,
  owner: string,
  seen: ExportState,
): Promise<LeftExport> {
  let state = seen;
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (isHeld(state, ports.clock.now()) && state.lease?.owner !== owner) {
      return { kind: 'held', state };
    }
    const left = await leaveBehind(ports, state);
    if (left !== undefined) {
      return { kind: 'left', state: left, untold: await closeExport(ports, rules, left) };
    }
    state = (await ports.ledger.readExport(state.connection, state.exportId)) ?? state;
  }
  return { kind: 'held', state };
}

/** @returns The stored state, or `undefined` when another process has written it since. */
async function leaveBehind(
  ports: ExportPorts,
  state: ExportState,
): Promise<ExportState | undefined> {
  if (awaitsRemoval(state)) {
    const stored = await ports.store.list(exportPrefix(state));
    await ports.store.delete(stored.map(({ key }) => key));
  }
  const nowMs = ports.clock.now();
  if (!isLeaving(state, nowMs) && state.lease === undefined) return state;
  return replaceItem(exportSteps(ports), state, leftBehind(state, nowMs));
}
