import type { Connections, Gate, NoKey, OpenConnection, OpenKey } from './ports.ts';

export type UsableConnection<Open extends OpenKey = OpenConnection> =
  | Open
  | NoKey
  /** The newest key version failed authentication. */
  | { readonly kind: 'rejected'; readonly keyVersion: string };

/**
 * Opens a connection with a key version that may be sent. Reads the secret again if the cached one may not, or is
 * not known to be of the connection's organization: it may have been replaced.
 */
export async function usableConnection<Open extends OpenKey>(
  connections: Connections<Open>,
  connection: string,
  gate: Pick<Gate, 'haltedKeyVersions' | 'organization' | 'opening'>,
): Promise<UsableConnection<Open>> {
  const cached = await connections.open(connection, 'cached', gate.opening?.id);
  if (cached.kind === 'open' && isUsable(cached, gate) && isKnown(cached, gate)) return cached;
  const fresh = await connections.open(connection, 'fresh', gate.opening?.id);
  if (fresh.kind === 'no-key' || isUsable(fresh, gate)) return fresh;
  return { kind: 'rejected', keyVersion: fresh.keyVersion };
}

function isUsable({ keyVersion }: OpenKey, gate: Pick<Gate, 'haltedKeyVersions'>): boolean {
  return !gate.haltedKeyVersions.includes(keyVersion);
}

function isKnown(opened: OpenKey, { organization }: Pick<Gate, 'organization'>): boolean {
  return organization === undefined || organization.credentials.includes(opened.credential);
}
