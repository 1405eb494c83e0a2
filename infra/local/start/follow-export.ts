import { setTimeout as wait } from 'node:timers/promises';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { Ledger } from '../../../lib/exports/ports.ts';

/** So soon the end is seen; a look costs the emulator about a millisecond. */
const LOOK_EVERY_MS = 100;

/**
 * Watches an export in the ledger until it is over and everything about it has been announced.
 *
 * @param show Called with every state that was seen.
 */
export async function followExport(
  ledger: Ledger,
  connection: string,
  exportId: string,
  show: (state: ExportState) => void,
  signal: AbortSignal,
): Promise<ExportState> {
  while (true) {
    const state = await ledger.readExport(connection, exportId);
    if (state !== undefined) {
      show(state);
      if (state.status !== 'running' && state.unannounced.length === 0) return state;
    }
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}
