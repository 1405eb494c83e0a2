import {
  type Admitted,
  type ConnectionOptions,
  openAdmitted,
  placeFor,
  stillAdmitted,
} from './admitted-connection.ts';
import type { BoundNotSent } from './not-sent.ts';

/**
 * Opens a connection for one request and waits for the place of the request, if a limit is known.
 *
 * A place is advice: a request whose place cannot be stored is sent without one. The gate is not: after a longer wait
 * it is read again.
 *
 * @param rejected Key versions that failed authentication a moment ago.
 * @returns `blocked` when there is no place in time.
 */
export async function openInPlace(
  options: ConnectionOptions,
  rejected: readonly string[],
  signal: AbortSignal = new AbortController().signal,
): Promise<Admitted | BoundNotSent> {
  const admitted = await openAdmitted(options, rejected);
  if (admitted.kind !== 'admitted' || options.hasPlaces === true) return admitted;
  const placed = await placeFor(options, admitted, signal);
  if (placed === undefined) return admitted;
  if (placed.kind === 'blocked') return placed;
  return stillAdmitted(options, { ...admitted, gate: placed.look }, rejected);
}
