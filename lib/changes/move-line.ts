import type { ComparisonLine } from './comparison-line.ts';
import type { ChangePorts } from './ports.ts';

/** Two exports of one list, a person and the sweep may meet; so many conflicts in a row are unlikely. */
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 100;

type Content = Omit<ComparisonLine, 'v' | 'connection' | 'list' | 'writeToken'>;

/**
 * Decides about the line of a list, and stores what the decision makes of it by one conditional write; again if
 * somebody else was first.
 *
 * @param lineOf Returns `undefined` for a decision that changes nothing.
 */
export async function moveLine<Decision>(
  { ledger, random, clock }: Pick<ChangePorts, 'ledger' | 'random' | 'clock'>,
  { connection, list }: { readonly connection: string; readonly list: string },
  decide: (line: ComparisonLine | undefined) => Decision,
  lineOf: (decision: Decision) => Content | undefined,
): Promise<Decision> {
  let line = await ledger.readComparisonLine(connection, list);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const decision = decide(line);
    const content = lineOf(decision);
    if (content === undefined) return decision;
    const next: ComparisonLine = { v: 1, connection, list, writeToken: random.token(), ...content };
    const result = await ledger.writeComparisonLine(next, line?.writeToken);
    if (result.kind === 'written') return decision;
    line = result.current;
    const pauseMs = Math.ceil(random.fraction() * MAX_PAUSE_MS);
    await clock.sleep(pauseMs, new AbortController().signal);
  }
  throw new Error(
    `The changes of ${connection}, ${list} were written ${MAX_TRIES} times meanwhile. Try again.`,
  );
}
