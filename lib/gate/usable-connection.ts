import type { Connections, Gate, NoKey, OpenConnection, OpenKey } from './ports.ts';

export type UsableConnection<Open extends OpenKey = OpenConnection> =
  | Open
  | NoKey
  /** The newest key version failed authentication. */
  | { readonly kind: 'rejected'; readonly keyVersion: string };

/** Opens a connection with a key version that may be sent. Reads the secret again if the cached one may not. */
export async function usableConnection<Open extends OpenKey>(
  connections: Connections<Open>,
  connection: string,
  gate: Pick<Gate, 'haltedKeyVersions' | 'opening'>,
): Promise<UsableConnection<Open>> {
  const cached = await connections.open(connection, 'cached', gate.opening?.id);
  if (isUsable(cached, gate)) return cached;
  const fresh = await connections.open(connection, 'fresh', gate.opening?.id);
  if (fresh.kind === 'no-key' || isUsable(fresh, gate)) return fresh;
  return { kind: 'rejected', keyVersion: fresh.keyVersion };
}

function isUsable(opened: OpenKey | NoKey, gate: Pick<Gate, 'haltedKeyVersions'>): boolean {
  return opened.kind === 'open' && !gate.haltedKeyVersions.includes(opened.keyVersion);
}
