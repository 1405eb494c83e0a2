import { swapLine } from '../steps/swap-line.ts';
import type { ComparisonLine, LineContent } from './comparison-line.ts';
import type { ChangePorts } from './ports.ts';

type LinePorts = Pick<ChangePorts, 'ledger' | 'random' | 'clock'>;

interface LineName {
  readonly connection: string;
  readonly list: string;
}

/**
 * Decides about the line of a list, and stores what the decision makes of it.
 *
 * @param lineOf Returns `undefined` for a decision that changes nothing.
 */
export function moveLine<Decision>(
  { ledger, ...ports }: LinePorts,
  { connection, list }: LineName,
  decide: (line: ComparisonLine | undefined) => Decision,
  lineOf: (decision: Decision) => LineContent | undefined,
): Promise<Decision> {
  return swapLine(
    ports,
    {
      name: `The line of changes of ${connection}, ${list}`,
      read: () => ledger.readComparisonLine(connection, list),
      swap: (content: LineContent, writeToken, expected) =>
        ledger.writeComparisonLine({ v: 1, connection, list, writeToken, ...content }, expected),
    },
    decide,
    lineOf,
  );
}

/** Changes the line of a list, if there is one. @param change Returns `undefined` to change nothing. */
export async function changeLine(
  ports: LinePorts,
  name: LineName,
  change: (line: ComparisonLine) => LineContent | undefined,
): Promise<void> {
  await moveLine(
    ports,
    name,
    (line) => line && change(line),
    (next) => next,
  );
}
