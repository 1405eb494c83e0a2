import { exportSettingsOf } from '../../lib/exports/export-settings.ts';
import type { Connections, NoKey, OpenConnection } from '../../lib/exports/ports.ts';
import {
  type CustomersClient,
  type CustomersClientOptions,
  createCustomersClient,
  SettingError,
} from '../../lib/index.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

/** How a connection talks to the API, besides its key; the address may be in its secret alone. */
export type ApiSettings = Omit<CustomersClientOptions, OwnOption> &
  Partial<Pick<CustomersClientOptions, 'baseUrl'>>;

type OwnOption = 'key' | 'baseUrl' | 'perPage' | 'firstPage';

/** An open connection with all that the API can do, not only what exports need of it. */
export interface ClientConnection extends OpenConnection {
  readonly client: Pick<CustomersClient, 'list' | 'read' | 'write'>;
}

export type ClientConnections = Connections<ClientConnection>;

export interface ConnectionsOptions {
  readonly keyStore: KeyStore;
  readonly apiSettingsOf: (connection: string) => ApiSettings;
}

/**
 * Opens connections. A client is kept as long as the secret has the same version: it remembers a
 * running `Retry-After` and that its key was refused.
 */
export function createConnections({
  keyStore,
  apiSettingsOf,
}: ConnectionsOptions): ClientConnections {
  const opened = new Map<string, ClientConnection>();
  return {
    open: async (connection, freshness) => {
      const stored = await keyStore.read(connection, freshness);
      if (stored.kind === 'no-key') return stored;
      const known = opened.get(connection);
      if (known?.keyVersion === stored.keyVersion) return known;
      const result = connect(connection, stored, apiSettingsOf(connection));
      if (result.kind === 'open') opened.set(connection, result);
      return result;
    },
  };
}

function connect(
  connection: string,
  stored: StoredKey,
  settings: ApiSettings,
): ClientConnection | NoKey {
  const { key, keyVersion, header, requestsPerSecond } = stored;
  const baseUrl = stored.baseUrl ?? settings.baseUrl;
  if (baseUrl === undefined) {
    const message = `Nothing tells the address of the API of connection ${connection}. Set baseUrl for all connections, or store it in the secret beside the key: {"apiKey":"…","baseUrl":"https://…"}.`;
    return { kind: 'no-key', reason: 'malformed', keyVersion, message };
  }
  const own = {
    ...(stored.baseUrl === undefined ? {} : { baseUrl }),
    ...(header === undefined ? {} : { header }),
    ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
  };
  try {
    const client = createCustomersClient({
      ...settings,
      baseUrl,
      ...(header === undefined ? {} : { header }),
      key,
    });
    if (requestsPerSecond !== undefined) exportSettingsOf({ requestsPerSecond });
    return {
      kind: 'open',
      keyVersion,
      client,
      ...(requestsPerSecond === undefined ? {} : { requestsPerSecond }),
      listPage: ({ resource, page, perPage }, signal) =>
        client.list(resource).listPage(page, perPage, signal),
    };
  } catch (error) {
    // Only what the secret itself says can be cured by storing it again.
    if (!(error instanceof SettingError) || !(error.setting in own)) throw error;
    // The error's own message may quote the value, and the value may be a key stored in the wrong place.
    const message = `The secret of connection ${connection} has a member ${error.setting} that cannot be used. Expected baseUrl as an https: address without query, header as the name of a header, and requestsPerSecond from 0.001 to 1,000. Store the secret again.`;
    return { kind: 'no-key', reason: 'malformed', keyVersion, message };
  }
}
