import { expect } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { type ChangeWorld, differences, LIST, type Records } from './change-world.ts';

/** What a consumer sees of one event. */
interface Seen {
  readonly id: string;
  readonly kind: string;
  readonly exportId: string;
  readonly recordId: string;
  readonly record?: string;
}

/**
 * When all is over: each change of what was accepted is told, under one id and with one text; nothing else is; and
 * who carries out all of it, export after export, has the records of the newest export that was accepted.
 */
export function checkChanges(world: ChangeWorld): void {
  const accepted = acceptedIn(world);
  const seen = new Map<string, string>();
  for (const { detail } of world.told) {
    const { id }: Seen = JSON.parse(detail);
    expect(seen.get(id) ?? detail).toBe(detail);
    seen.set(id, detail);
  }
  const told: Seen[] = [...seen.values()].map((detail) => JSON.parse(detail));
  const facts = told.map(({ exportId, kind, recordId }) => `${exportId} ${kind} ${recordId}`);
  const expected = accepted.flatMap((state, index) => {
    const before = accepted[index - 1];
    if (before === undefined) return [];
    expect(state.since?.exportId).toBe(before.exportId);
    return differences(recordsOf(world, before), recordsOf(world, state)).map(
      ({ change, id }) => `${state.exportId} ${change} ${id}`,
    );
  });
  expect(facts.sort()).toEqual(expected.sort());
  const line = world.ledger.readComparisonLine(LIST.connection, LIST.list);
  expect(line?.base?.exportId).toBe(accepted.at(-1)?.exportId);
  expect(line?.publishing).toBeUndefined();
  expect(line?.comparing).toBeUndefined();
  for (const { exportId, status } of world.ledger.changes.values()) {
    if (status === 'held') expect(line?.held).toBe(exportId);
  }
  checkEvents(world, accepted);
}

function checkEvents(world: ChangeWorld, accepted: readonly ChangeState[]): void {
  const ids = new Set(world.events.map(({ kind, exportId }) => `${kind} ${exportId}`));
  for (const { exportId } of accepted) expect(ids).toContain(`changes-found ${exportId}`);
  const others = [...ids].filter((id) => id.startsWith('changes-found'));
  expect(others).toHaveLength(accepted.length);
}

/** In the order of their exports. */
export function acceptedIn(world: ChangeWorld): readonly ChangeState[] {
  return [...world.ledger.changes.values()]
    .filter(({ status }) => ['first', 'found', 'published'].includes(status))
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function recordsOf(world: ChangeWorld, { exportId }: ChangeState): Records {
  return world.exports.get(exportId)?.records ?? new Map();
}
