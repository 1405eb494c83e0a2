import { wakeItem } from '../steps/step-kind.ts';
import { type Swept, sweepEach } from '../steps/sweep.ts';
import type { ChangeName, ChangeState } from './change-state.ts';
import { changeSteps, sweepAtMs } from './change-steps.ts';
import { closeChanges, supersedeUnlessHeld } from './close-changes.ts';
import type { ChangePorts } from './ports.ts';

export type SweptChanges = Swept<ChangeName, 'nothing' | 'close' | 'wake' | 'waits' | 'missing'> & {
  /** Since they were found, while they are not all told. */
  readonly waitedSeconds?: number;
};

/**
 * Continues what stands still on its way to be told: after a lost message, a crash between two writes or an
 * unpublished event; and looks at what waits for a person.
 */
export async function wakeChanges(ports: ChangePorts): Promise<readonly SweptChanges[]> {
  const unfinished = await ports.ledger.listUnfinishedChanges();
  const held = await ports.ledger.listHeldChanges();
  const ages = new Map<string, number>();
  const swept = [
    ...(await sweepEach(unfinished, (name) => sweepOne(ports, name, ages))),
    ...(await sweepEach(held, (name) => lookAtHeld(ports, name))),
  ];
  return swept.map((each) => {
    const waitedSeconds = ages.get(placeOf(each));
    return waitedSeconds === undefined ? each : { ...each, waitedSeconds };
  });
}

async function sweepOne(ports: ChangePorts, name: ChangeName, ages: Map<string, number>) {
  const state = await ports.ledger.readChange(name.connection, name.exportId);
  if (state === undefined) return 'missing';
  const dueAtMs = sweepAtMs(state);
  if (dueAtMs === undefined) return 'nothing';
  const nowMs = ports.clock.now();
  ages.set(placeOf(name), Math.max(0, Math.round((nowMs - sinceMs(state)) / 1000)));
  if (nowMs < dueAtMs) return 'nothing';
  if (!state.closed) {
    await closeChanges(ports, state);
    return 'close';
  }
  await wakeItem(changeSteps(ports), state);
  return 'wake';
}

/** What a person held up for a day was not late before. */
function sinceMs({ comparedAtMs, decided }: ChangeState): number {
  return decided?.atMs ?? comparedAtMs;
}

async function lookAtHeld(ports: ChangePorts, name: ChangeName) {
  const state = await ports.ledger.readChange(name.connection, name.exportId);
  if (state === undefined) return 'missing';
  if (state.status === 'held' && (await supersedeUnlessHeld(ports, state))) return 'close';
  return 'waits';
}

function placeOf({ connection, exportId }: ChangeName): string {
  return `${connection}/${exportId}`;
}
