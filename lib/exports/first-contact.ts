import type { Gate } from '../gate/ports.ts';
import type { ExportState } from './export-state.ts';
import type { Store } from './ports.ts';
import { latestKey } from './store-objects.ts';

/** A name service or a server that is just being started is back within a second or two. */
const TRIES = 3;
export const RETRY_MS = 1_000;
/** A try that took longer already told that nobody answers: another one would take as long. */
const QUICK_MS = 1_000;

/**
 * Whether the address was never shown to be right: no page of this export came, none of the connection's customers,
 * and no earlier export of the list. Then an address that cannot be reached is most likely mistyped, and a person waits
 * for the answer. Where a page came once, the same failure is an outage, and the export is retried for minutes: so a
 * schedule that fires while the API is down for a minute loses nothing.
 */
export async function isFirstContact(
  store: Pick<Store, 'read'>,
  { sample }: Pick<Gate, 'sample'>,
  { connection, list, counters }: ExportState,
): Promise<boolean> {
  if (counters.pages > 0 || sample !== undefined) return false;
  return (await store.read(latestKey(connection, list))) === undefined;
}

/**
 * Whether to ask again at the first contact, when nothing was reached. All tries together take less than ten seconds,
 * connecting included (`CONNECT_DEADLINE_MS`).
 *
 * @param failures In a row, this one included.
 * @param tookMs How long the latest try took.
 */
export function mayTryAgain(failures: number, tookMs: number): boolean {
  return failures < TRIES && tookMs < QUICK_MS;
}
