import { createApiRequests } from '../../lib/customers-api/api-requests.ts';
import { type AskPage, createPageClient, type PagesOf } from '../../lib/customers-api/ask-page.ts';
import {
  type CustomersClientOptions,
  settingsOf as checkOptions,
} from '../../lib/customers-api/settings.ts';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { exportSettingsOf } from '../../lib/exports/export-settings.ts';
import type { ClientConnection, KnownList } from '../../lib/gate/admitted-connection.ts';
import { credentialName, type StoredVersion } from '../../lib/gate/organization.ts';
import type { Connections, NoKey, OpenConnection, OpenKey } from '../../lib/gate/ports.ts';
import { placeOfKey } from '../../lib/key/place-of-key.ts';
import type { KeyHolders, PlacedKey } from './key-holders.ts';
import type { KeyStore, StoredKey } from './key-store.ts';

/** How a connection talks to the API, besides its key; the address may be in its secret alone. */
export type ApiSettings = Omit<CustomersClientOptions, OwnOption> &
  Partial<Pick<CustomersClientOptions, 'baseUrl'>>;

type OwnOption = 'key' | 'baseUrl' | 'perPage' | 'firstPage';

export interface ConnectionsOptions {
  readonly keyStore: KeyStore;
  readonly apiSettingsOf: (connection: string) => ApiSettings;
  /** By name. One that is not there any more is read as every other resource. */
  readonly listsOf: (connection: string) => ListsByName;
  /** What may be written, which requests and the ledger show. @default - nothing */
  readonly operationsOf?: (connection: string) => readonly object[];
  /** Finds connections with the same key. @default - none is looked for, as in functions of users */
  readonly holders?: KeyHolders | undefined;
}

type ListsByName = ReadonlyMap<string, KnownList>;

/** Makes of a key what its connection is opened as. The options are checked. */
export type Connect<Open extends OpenKey> = (
  options: CustomersClientOptions,
  key: OpenKey,
  lists: ListsByName,
) => Open;

/** For functions that only check whether there is a key: they load no HTTP client. */
export const keyAlone: Connect<OpenKey> = (_options, key) => key;

/** For functions that make requests. The client remembers a running `Retry-After` and that its key was refused. */
export const withClient: Connect<ClientConnection> = (options, key, lists) => {
  const client = createApiRequests(options);
  return { ...key, client, listPage: listPageWith(client.pagesOf, lists) };
};

/** For functions that only ask for pages: they load less. What is remembered is the same. */
export const withPages: Connect<OpenConnection> = (options, key, lists) => ({
  ...key,
  listPage: listPageWith(createPageClient(options), lists),
});

function listPageWith(pagesOf: PagesOf, lists: ListsByName): OpenConnection['listPage'] {
  /** Of the query that was asked for last: an export asks for hundreds of pages with the same one. */
  let latest: { readonly about: readonly unknown[]; readonly ask: AskPage } | undefined;
  return ({ list, resource, query, page, perPage, isProbe, ...planned }, signal, onLeave) => {
    const about = [list, resource, query, planned.idKey, planned.itemsKey];
    if (latest === undefined || !about.every((each, at) => each === latest?.about[at])) {
      const { itemsKey, metaKeys, idKey } = lists.get(list) ?? {};
      const ask = pagesOf(resource, query, { itemsKey, metaKeys, idKey, ...planned });
      latest = { about, ask };
    }
    return latest.ask(page, { perPage, signal, onLeave, isProbe });
  };
}

/**
 * Opens connections. What was opened is kept as long as the secret has the same version and nobody opens the gate:
 * a client that remembers a wait would keep to it.
 *
 * @param connect {@link keyAlone}, {@link withPages} or {@link withClient}
 */
export function createConnections<Open extends OpenKey>(
  { keyStore, apiSettingsOf, listsOf, operationsOf, holders }: ConnectionsOptions,
  connect: Connect<Open>,
): Connections<Open> {
  const opened = new Map<string, Opened<Open>>();
  const asked = new Map<string, Asked>();

  const clientOf = (connection: string, stored: StoredKey, openingId?: string): Open | NoKey => {
    const known = opened.get(connection);
    const isSinceOpening = openingId === undefined || known?.openingId === openingId;
    if (known && isSameVersion(known.stored, stored) && isSinceOpening) return known.client;
    const lists = listsOf(connection);
    const settings = apiSettingsOf(connection);
    const shown = placeOfKey(stored.key, {
      ...settings,
      lists: Object.fromEntries(lists),
      operations: operationsOf?.(connection),
    });
    if (shown !== undefined) return keyInSettings(connection, shown, stored);
    const connectWith: Connected<Open> = (options, key) => connect(options, key, lists);
    const client = openWith(connectWith, connection, stored, settings);
    if (client.kind === 'open') opened.set(connection, { stored, openingId, client });
    return client;
  };

  /** Of the same version each reading asks again: its secret may have been away, while another connection took the key. */
  const holderOf = async (connection: string, stored: StoredKey): Promise<string | undefined> => {
    const placed = placedKey(stored, apiSettingsOf(connection));
    if (placed === undefined || holders === undefined) return undefined;
    const known = asked.get(connection);
    const { holder } =
      known?.stored === stored ? known : { holder: holders.hold(connection, placed) };
    asked.set(connection, { stored, holder });
    const isOwn = await holder.then((name) => name === connection).catch(() => false);
    if (!isOwn && asked.get(connection)?.holder === holder) asked.delete(connection);
    return holder;
  };

  return {
    open: async (connection, freshness, openingId) => {
      const stored = await keyStore.read(connection, freshness);
      if (stored.kind === 'no-key') return stored;
      // Made at once: all who open at the same time share one client, which remembers waits for them.
      const client = clientOf(connection, stored, openingId);
      if (client.kind === 'no-key') return client;
      const holder = await holderOf(connection, stored);
      return holder === undefined || holder === connection
        ? client
        : inUse(connection, holder, stored);
    },
  };
}

interface Opened<Open> {
  readonly stored: StoredVersion;
  readonly openingId: string | undefined;
  readonly client: Open;
}

interface Asked {
  readonly stored: StoredKey;
  readonly holder: Promise<string>;
}

function isSameVersion(one: StoredVersion, other: StoredVersion): boolean {
  return one.keyVersion === other.keyVersion && one.createdAtMs === other.createdAtMs;
}

/** What is sent where; `undefined` when nothing says where. */
export function placedKey(
  { key, baseUrl }: StoredKey,
  settings: ApiSettings,
): PlacedKey | undefined {
  const origin = URL.parse(baseUrl ?? settings.baseUrl ?? '')?.origin;
  // A dot at the end of a host is the root of its name (RFC 1034 section 3.1): the same host.
  const address = origin?.replace(/\.(?=$|:\d+$)/, '');
  return address === undefined ? undefined : { key, address };
}

function inUse(connection: string, holder: string, { keyVersion }: StoredKey): NoKey {
  const message = `The secrets of the connections ${holder} and ${connection} hold the same key, and each would keep only to its own waits. Use the connection ${holder}, or store the key of another organization for ${connection}.`;
  return { kind: 'no-key', reason: 'in-use', keyVersion, message };
}

type Connected<Open extends OpenKey> = (options: CustomersClientOptions, key: OpenKey) => Open;

function keyInSettings(connection: string, place: string, { keyVersion }: StoredKey): NoKey {
  const message = `The setting ${place} of connection ${connection} holds its key, which templates and logs show. Take it out of the settings and revoke it; a new one belongs into the secret alone, and is sent in its header.`;
  return { kind: 'no-key', reason: 'malformed', keyVersion, message };
}

function openWith<Open extends OpenKey>(
  connect: Connected<Open>,
  connection: string,
  stored: StoredKey,
  settings: ApiSettings,
): Open | NoKey {
  const { key, keyVersion, createdAtMs, header, requestsPerSecond } = stored;
  const { organization: organizationLabel } = stored;
  const baseUrl = stored.baseUrl ?? settings.baseUrl;
  if (baseUrl === undefined) {
    const message = `Nothing tells the address of the API of connection ${connection}. Set baseUrl for all connections, or store it in the secret beside the key: {"apiKey":"…","baseUrl":"https://…"}.`;
    return { kind: 'no-key', reason: 'malformed', keyVersion, message };
  }
  const rate = defined({ requestsPerSecond });
  const own = defined({ baseUrl: stored.baseUrl, header, ...rate });
  try {
    exportSettingsOf(rate);
    const options = { ...settings, baseUrl, ...defined({ header }), key };
    const credential = credentialName(stored, checkOptions(options));
    const about = { credential, keyVersion, ...defined({ createdAtMs, organizationLabel }) };
    return connect(options, { kind: 'open', ...about, ...rate });
  } catch (error) {
    // Only what the secret itself says can be cured by storing it again.
    if (!(error instanceof SettingError) || !Object.hasOwn(own, error.setting)) throw error;
    // What is said of a number quotes it, and it may be a key stored in the wrong place; what is said of a text does not.
    const isNumber = error.setting === 'requestsPerSecond';
    const problem = isNumber ? 'expected a number from 0.001 to 1,000' : error.problem;
    const message = `The secret of connection ${connection} has a member ${error.setting} that cannot be used: ${problem}. Store the secret again.`;
    return { kind: 'no-key', reason: 'malformed', keyVersion, message };
  }
}
