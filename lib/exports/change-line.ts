import type { LineEntry } from './export-line.ts';
import type { ControlPorts } from './ports.ts';

/** Starts and ends of many lists may meet; so many conflicts in a row are unlikely. */
const MAX_TRIES = 30;
const MAX_PAUSE_MS = 100;

/**
 * Changes the line of a connection by one conditional write, again if somebody else was first.
 *
 * @param change Returns its argument to change nothing. May be called several times.
 * @returns The line afterwards, head first.
 */
export async function changeLine(
  { ledger, random, clock }: Pick<ControlPorts, 'ledger' | 'random' | 'clock'>,
  connection: string,
  change: (entries: readonly LineEntry[]) => readonly LineEntry[],
): Promise<readonly LineEntry[]> {
  let line = await ledger.readLine(connection);
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const before = line?.entries ?? [];
    const entries = change(before);
    if (entries === before) return before;
    const next = { connection, writeToken: random.token(), entries };
    const result = await ledger.writeLine(next, line?.writeToken);
    if (result.kind === 'written') return entries;
    line = result.current;
    const pauseMs = Math.ceil(random.fraction() * MAX_PAUSE_MS);
    await clock.sleep(pauseMs, new AbortController().signal);
  }
  throw new Error(
    `The line of exports of ${connection} was changed ${MAX_TRIES} times meanwhile. Try again.`,
  );
}
