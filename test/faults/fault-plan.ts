/** What goes wrong at one call of a port. */
export type Fault =
  /** The process dies before the effect. */
  | 'crash-before'
  /** The process dies after the effect. */
  | 'crash-after'
  /** The call throws without an effect. */
  | 'throw-before'
  /** The effect took place, but the answer is lost. */
  | 'throw-after'
  /** The process stands still, before or after the effect, until its lease is over, and then goes on. */
  | 'freeze-before'
  | 'freeze-after';

export const ALL_FAULTS: readonly Fault[] = [
  'crash-before',
  'crash-after',
  'throw-before',
  'throw-after',
  'freeze-before',
  'freeze-after',
];

/** @param call Counts all calls of all workers from 0. */
export type FaultPlan = (call: number, name: string) => Fault | undefined;

export const noFaults: FaultPlan = () => undefined;

/** No faults, and the name of the port of each call, in order. */
export function notingCalls(): { readonly names: readonly string[]; readonly faults: FaultPlan } {
  const names: string[] = [];
  const faults: FaultPlan = (_call, name) => {
    names.push(name);
    return undefined;
  };
  return { names, faults };
}

export function faultAt(call: number, fault: Fault): FaultPlan {
  return (each) => (each === call ? fault : undefined);
}

/** Faults at random until `untilCall`, so that every run can end. */
export function randomFaults(
  random: () => number,
  probability: number,
  untilCall: number,
): FaultPlan {
  return (call) => {
    if (call >= untilCall || random() >= probability) return undefined;
    return ALL_FAULTS[Math.floor(random() * ALL_FAULTS.length)];
  };
}
