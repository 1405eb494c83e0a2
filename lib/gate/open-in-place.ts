import {
  type Admitted,
  type ConnectionOptions,
  openAdmitted,
  placeFor,
} from './admitted-connection.ts';
import { isFresh } from './gate-look.ts';
import type { BoundNotSent } from './not-sent.ts';
import type { GateLook } from './ports.ts';

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
  const { look } = placed;
  const isUsable = isFresh(look.atMs, options.clock.now()) && stillAdmits(look, admitted);
  if (!isUsable) return openAdmitted(options, rejected);
  return { ...admitted, gate: look };
}

/** Another caller may have met a rejection of the key, or another organization. */
function stillAdmits(
  { haltedKeyVersions, organization: now }: GateLook,
  { opened, organization }: Admitted,
): boolean {
  return !haltedKeyVersions.includes(opened.keyVersion) && now?.id === organization.id;
}
