import { type QueuedExport, waitingIn } from './export-line.ts';
import type { ExportState } from './export-state.ts';
import type { Ledger } from './ports.ts';

export type FoundExport =
  | { readonly kind: 'begun'; readonly state: ExportState }
  | { readonly kind: 'queued'; readonly queued: QueuedExport };

/** An export by its id, also one that waits for its turn; `undefined` when there is none, or none any more. */
export async function findExport(
  ledger: Pick<Ledger, 'readExport' | 'readLine'>,
  connection: string,
  exportId: string,
): Promise<FoundExport | undefined> {
  const known = await ledger.readExport(connection, exportId);
  if (known !== undefined) return { kind: 'begun', state: known };
  const line = await ledger.readLine(connection);
  const queued = line && waitingIn(line, exportId);
  if (queued !== undefined) return { kind: 'queued', queued };
  // It may have begun between the two reads, and be over.
  const state = await ledger.readExport(connection, exportId);
  return state && { kind: 'begun', state };
}
