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
 * Whether the address was never shown to be right: nothing was answered to this export or to others of the connection,
 * as far as its gate and its completed exports say. Then an address that cannot be reached is most likely mistyped,
 * and a person waits for the answer. Where an answer came once, were it a throttle, the same failure is an outage, and
 * the export is retried for minutes: so a schedule that fires while the API is down for a minute loses nothing.
 */
export async function isFirstContact(
  store: Pick<Store, 'read'>,
  gate: Gate,
  state: ExportState,
  lists: Iterable<string>,
): Promise<boolean> {
  if (hasAnswer(state) || knowsAnswers(gate)) return false;
  const { connection, list } = state;
  for (const each of new Set([list, ...lists])) {
    if ((await store.read(latestKey(connection, each))) !== undefined) return false;
  }
  return true;
}

/** Whether the API has answered the export itself, were it by a throttle or a failure of its own. */
export function hasAnswer({ counters, wasAnswered }: ExportState): boolean {
  return wasAnswered === true || counters.pages > 0 || counters.throttles > 0;
}

/** Each of them comes from an answer: a page, a wait or a rejected key. */
function knowsAnswers({ sample, pace, blockedUntilMs, opening, haltedKeyVersions }: Gate): boolean {
  if (sample !== undefined || pace !== undefined || opening !== undefined) return true;
  return blockedUntilMs > 0 || haltedKeyVersions.length > 0;
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
