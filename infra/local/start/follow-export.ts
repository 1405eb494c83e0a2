import { setTimeout as wait } from 'node:timers/promises';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';

/** An end is seen at most so much later. */
const LOOK_EVERY_MS = 25;

/** An export in a ledger whose writes are counted. */
export interface FollowedExport {
  readonly ledger: Pick<Ledger, 'readExport'>;
  /** How many times the ledger was written so far, which is known without a request. */
  readonly writes: () => number;
  readonly connection: string;
  readonly exportId: string;
}

/**
 * Watches an export in the ledger until it is over and everything about it has been announced. The
 * ledger is read only after it was written.
 *
 * @param show Called every time with the state, changed or not: a wait in it may be over.
 */
export async function followExport(
  { ledger, writes, connection, exportId }: FollowedExport,
  show: (state: ExportState) => void,
  signal: AbortSignal,
): Promise<ExportState> {
  let readAt: number | undefined;
  let state: ExportState | undefined;
  while (true) {
    const written = writes();
    if (written !== readAt) {
      state = await ledger.readExport(connection, exportId);
      readAt = written;
    }
    if (state !== undefined) {
      show(state);
      if (state.status !== 'running' && state.unannounced.length === 0) return state;
    }
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}
