import { expect } from '@jest/globals';
import { changeSettingsOf } from '../../../lib/changes/change-settings.ts';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { isTooMuchRemoved } from '../../../lib/changes/hold-changes.ts';
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
  // Of what a person ended while it was told, some are told and the rest never.
  const ended = new Set(accepted.filter(isEnded).map(({ exportId }) => exportId));
  const ofEnded = (fact: string) => ended.has(fact.split(' ')[0] ?? '');
  expect(expected).toEqual(expect.arrayContaining(facts.filter(ofEnded)));
  expect(facts.filter((fact) => !ofEnded(fact)).sort()).toEqual(
    expected.filter((fact) => !ofEnded(fact)).sort(),
  );
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

/** In the order of their exports; what a person ended while it was told is the base of the next one all the same. */
export function acceptedIn(world: ChangeWorld): readonly ChangeState[] {
  const states = [...world.ledger.changes.values()];
  const line = world.ledger.readComparisonLine(LIST.connection, LIST.list);
  const bases = new Set([...states.map(({ since }) => since?.exportId), line?.base?.exportId]);
  return states
    .filter(
      (state) =>
        ['first', 'found', 'published'].includes(state.status) ||
        (isEnded(state) && bases.has(state.exportId)),
    )
    .sort((a, b) => a.startedAtMs - b.startedAtMs);
}

function recordsOf(world: ChangeWorld, { exportId }: ChangeState): Records {
  return world.exports.get(exportId)?.records ?? new Map();
}

/** Not one that was held: that is never a base. */
function isEnded({ status, counts }: ChangeState): boolean {
  const { maxRemovedPercent } = changeSettingsOf({});
  const isHeld = counts !== undefined && isTooMuchRemoved(counts, maxRemovedPercent);
  return status === 'discarded' && !isHeld;
}
