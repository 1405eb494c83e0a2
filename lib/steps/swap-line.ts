import { pause } from '../gate/pause.ts';
import type { Clock, Random } from '../gate/ports.ts';
import type { Swapped } from './step-kind.ts';

/** Many may change a line at the same time; so many conflicts in a row are unlikely. */
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 100;

/** An item of the ledger that several processes change. */
export interface SharedLine<Line, Content> {
  /** The first words of the error, such as `The order 7`. */
  readonly name: string;
  read(): Promise<Line | undefined>;
  /** As {@link StepKind.swap}, with the token that the line has then. */
  swap(
    next: Content,
    writeToken: string,
    expectedToken: string | undefined,
  ): Promise<Swapped<Line>>;
}

interface SwapPorts {
  readonly clock: Pick<Clock, 'sleep'>;
  readonly random: Random;
}

/**
 * Decides about a line, and stores what the decision makes of it by one conditional write; again if somebody else was
 * first.
 *
 * @param decide May be called several times.
 * @param nextOf Returns `undefined` for a decision that changes nothing.
 * @returns The decision that counts.
 */
export async function swapLine<Line extends { readonly writeToken: string }, Content, Decision>(
  { clock, random }: SwapPorts,
  shared: SharedLine<Line, Content>,
  decide: (line: Line | undefined) => Decision,
  nextOf: (decision: Decision) => Content | undefined,
): Promise<Decision> {
  let line = await shared.read();
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const decision = decide(line);
    const next = nextOf(decision);
    if (next === undefined) return decision;
    const result = await shared.swap(next, random.token(), line?.writeToken);
    if (result.kind === 'written') return decision;
    line = result.current;
    await pause(clock, Math.ceil(random.fraction() * MAX_PAUSE_MS));
  }
  throw new Error(`${shared.name} was changed ${MAX_TRIES} times meanwhile. Try again.`);
}
