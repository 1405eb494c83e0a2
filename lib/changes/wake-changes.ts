import { wakeItem } from '../steps/step-kind.ts';
import { type Swept, sweepListed, untilBusFails } from '../steps/sweep.ts';
import type { ChangeName, ChangeState } from './change-state.ts';
import { changeSteps, sweepAtMs } from './change-steps.ts';
import { closeChanges, supersedeUnlessHeld } from './close-changes.ts';
import type { ChangePorts, ChangesEvent } from './ports.ts';

type SweepResult = 'nothing' | 'close' | 'wake' | 'waits' | 'missing';

interface SweptName extends ChangeName {
  /** Which of them nobody could list: no name is known. */
  readonly unread?: 'unfinished' | 'held';
}

export type SweptChanges = Swept<SweptName, SweepResult> & {
  /** Since they were found, while they are not all told. */
  readonly waitedSeconds?: number;
};

const UNKNOWN = { connection: 'unknown', exportId: 'unknown' };

/**
 * Continues what stands still on its way to be told: after a lost message, a crash between two writes or an
 * unpublished event; and looks at what waits for a person. An index that cannot be read keeps the other one from nothing.
 */
export async function wakeChanges(ports: ChangePorts): Promise<readonly SweptChanges[]> {
  const { ledger } = ports;
  const ages = new Map<string, number>();
  const bus = untilBusFails(ports.events);
  const swept = [
    ...(await sweepListed<SweptName, SweepResult>(
      ledger.listUnfinishedChanges(),
      { ...UNKNOWN, unread: 'unfinished' },
      (name) => sweepOne({ ports, bus, ages }, name),
    )),
    ...(await sweepListed<SweptName, SweepResult>(
      ledger.listHeldChanges(),
      { ...UNKNOWN, unread: 'held' },
      (name) => lookAtHeld(ports, name),
    )),
  ];
  return swept.map((each) => {
    const waitedSeconds = ages.get(placeOf(each));
    return waitedSeconds === undefined ? each : { ...each, waitedSeconds };
  });
}

interface OneSweep {
  readonly ports: ChangePorts;
  /** Leaves events to a later sweep while the bus takes nothing. */
  readonly bus: ReturnType<typeof untilBusFails<ChangesEvent>>;
  readonly ages: Map<string, number>;
}

async function sweepOne({ ports, bus, ages }: OneSweep, name: ChangeName): Promise<SweepResult> {
  const state = await ports.ledger.readChange(name.connection, name.exportId);
  if (state === undefined) return 'missing';
  const dueAtMs = sweepAtMs(state);
  if (dueAtMs === undefined) return 'nothing';
  const nowMs = ports.clock.now();
  ages.set(placeOf(name), Math.max(0, Math.round((nowMs - sinceMs(state)) / 1000)));
  if (nowMs < dueAtMs) return 'nothing';
  if (!state.closed) {
    return bus(async (events) => {
      await closeChanges({ ...ports, events }, state);
      return 'close' as const;
    });
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
