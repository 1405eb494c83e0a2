import type { FaultCondition, FaultKind, ParsedFault } from './faults.ts';
import { randomOf } from './random.ts';

/** What a fault's conditions look at. */
interface FaultSubject {
  readonly n: number;
  readonly method: string;
  readonly page: number;
  readonly resource: string;
  readonly organization: string | undefined;
}

/** Chooses the fault for each request, in the order in which they come. */
export type FaultScript = (subject: FaultSubject) => FaultKind | undefined;

export function faultScriptOf(faults: readonly ParsedFault[], seed: number): FaultScript {
  const lines = faults.map((fault) => ({ fault, left: fault.times ?? Number.POSITIVE_INFINITY }));
  const random = randomOf(seed);
  return (subject) => {
    const line = lines.find(({ fault, left }) => left > 0 && matches(fault.when, subject, random));
    if (line === undefined) return undefined;
    line.left -= 1;
    return line.fault.fault;
  };
}

function matches(when: FaultCondition, subject: FaultSubject, random: () => number): boolean {
  return (
    equals(when.request, subject.n) &&
    subject.n >= (when.from ?? 1) &&
    subject.n <= (when.to ?? Number.POSITIVE_INFINITY) &&
    subject.n % (when.every ?? 1) === 0 &&
    equals(when.page, subject.page) &&
    equals(when.method, subject.method) &&
    equals(when.resource, subject.resource) &&
    equals(when.organization, subject.organization) &&
    (when.probability === undefined || random() < when.probability)
  );
}

function equals(wanted: unknown, got: unknown): boolean {
  return wanted === undefined || wanted === got;
}
