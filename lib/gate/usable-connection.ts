import type { StoredVersion } from './organization.ts';
import type { Connections, Gate, NoKey, OpenConnection, OpenKey } from './ports.ts';

export type UsableConnection<Open extends OpenKey = OpenConnection> =
  | Open
  | NoKey
  /** The newest key version failed authentication. */
  | { readonly kind: 'rejected'; readonly keyVersion: string };

/**
 * Whether a version of the secret may not be sent, since its key failed authentication: it is named, or no newer than
 * one that is not. One whose time is not known may be older.
 */
export function isHalted(
  { keyVersion, createdAtMs = 0 }: StoredVersion,
  { haltedKeyVersions, haltedUntilMs = -1 }: Pick<Gate, 'haltedKeyVersions' | 'haltedUntilMs'>,
): boolean {
  return haltedKeyVersions.includes(keyVersion) || createdAtMs <= haltedUntilMs;
}

/**
 * Opens a connection with a key version that may be sent. Reads the secret again if the cached one may not, or is
 * not known to be of the connection's organization: it may have been replaced.
 *
 * @param boundTo The credential that the caller is bound to. If it is not known, it may be of a newer version than
 * the cached one.
 */
export async function usableConnection<Open extends OpenKey>(
  connections: Connections<Open>,
  connection: string,
  gate: Pick<Gate, 'haltedKeyVersions' | 'haltedUntilMs' | 'organization' | 'opening'>,
  boundTo?: string,
): Promise<UsableConnection<Open>> {
  const cached = await connections.open(connection, 'cached', gate.opening?.id);
  if (cached.kind === 'open' && !isHalted(cached, gate) && isKnown(cached, gate, boundTo)) {
    return cached;
  }
  const fresh = await connections.open(connection, 'fresh', gate.opening?.id);
  if (fresh.kind === 'no-key' || !isHalted(fresh, gate)) return fresh;
  return { kind: 'rejected', keyVersion: fresh.keyVersion };
}

function isKnown(
  { credential }: OpenKey,
  { organization }: Pick<Gate, 'organization'>,
  boundTo = credential,
): boolean {
  const known = organization?.credentials ?? [credential];
  return known.includes(credential) && (boundTo === credential || known.includes(boundTo));
}
