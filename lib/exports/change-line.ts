import { swapLine } from '../steps/swap-line.ts';
import type { LineEntry } from './export-line.ts';
import type { ControlPorts } from './ports.ts';

/**
 * Changes the line of a connection.
 *
 * @param change Returns `undefined` to change nothing. May be called several times.
 * @returns The line afterwards, head first.
 */
export async function changeLine(
  { ledger, ...ports }: Pick<ControlPorts, 'ledger' | 'random' | 'clock'>,
  connection: string,
  change: (entries: readonly LineEntry[]) => readonly LineEntry[] | undefined,
): Promise<readonly LineEntry[]> {
  const { before, after } = await swapLine(
    ports,
    {
      name: `The line of exports of ${connection}`,
      read: () => ledger.readLine(connection),
      swap: (entries: readonly LineEntry[], writeToken, expected) =>
        ledger.writeLine({ connection, writeToken, entries }, expected),
    },
    (line) => {
      const entries = line?.entries ?? [];
      return { before: entries, after: change(entries) };
    },
    (decided) => decided.after,
  );
  return after ?? before;
}
