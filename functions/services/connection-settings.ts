import * as v from 'valibot';
import {
  type ChangeSettings,
  ChangeSettingsSchema,
  changeSettingsOf,
} from '../../lib/changes/change-settings.ts';
import { checkWithoutKey } from '../../lib/customers-api/settings.ts';
import { defined } from '../../lib/defined.ts';
import {
  connectionListsOf,
  type GivenConnectionLists,
} from '../../lib/exports/connection-lists.ts';
import {
  type ExportSettings,
  exportSettingEntries,
  exportSettingsOf,
} from '../../lib/exports/export-settings.ts';
import {
  DEFAULT_LIST_SETTINGS,
  type GivenListSettings,
  type ListSettings,
  listSettingEntries,
} from '../../lib/exports/list-settings.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema, ListNameSchema } from '../../lib/names.ts';
import { recordOf } from '../../lib/record-of.ts';
import type { Operation } from '../../lib/writes/operation.ts';
import {
  type WriteSettings,
  writeSettingEntries,
  writeSettingsOf,
} from '../../lib/writes/write-settings.ts';
import type { ApiSettings } from '../aws/connections.ts';

const { itemsKey, metaKeys, idKey } = listSettingEntries;

/** Settings of the API client; ranges and defaults are those of `CustomersClientOptions`. */
const apiSettings = {
  ...{ itemsKey, metaKeys, idKey },
  baseUrl: v.exactOptional(v.string()),
  header: v.exactOptional(v.string()),
  deadlineMs: v.exactOptional(v.number()),
  maxBodyBytes: v.exactOptional(v.number()),
  authenticationStatuses: v.exactOptional(v.array(v.number())),
};

/** Lists by name; `false` leaves one out. */
export function listsOf<Given>(list: v.GenericSchema<unknown, Given>) {
  const entry: v.GenericSchema<unknown, Given | false> = v.lazy((given) =>
    given === false ? v.literal(false) : list,
  );
  return recordOf(ListNameSchema, entry);
}

/** Settings of writes, which have some of those of exports too. */
const writeSettings = {
  ...writeSettingEntries,
  // What is in an operation is checked where all settings of writes are.
  operations: v.exactOptional(
    v.array(
      v.custom<Operation>(isJsonObject, 'expected an operation'),
      'expected a list of operations',
    ),
  ),
};

export const connectionSettingEntries = {
  ...apiSettings,
  ...exportSettingEntries,
  changes: v.exactOptional(ChangeSettingsSchema),
  ...writeSettings,
  ...listSettingEntries,
  lists: v.exactOptional(listsOf(v.strictObject(listSettingEntries))),
};

/** What may be set for a connection, or for all of them: what is left out has its default. */
export interface GivenSettings
  extends Partial<Omit<ApiSettings, 'fetch' | 'now' | 'random' | keyof GivenListSettings>>,
    Partial<ExportSettings>,
    GivenConnectionLists,
    Partial<Pick<WriteSettings, 'idempotencyKeySeconds' | 'maxUnknownChecks'>> {
  readonly operations?: readonly Operation[];
  /** Each member comes from the connection if it has it, else from what is set for all. */
  readonly changes?: Partial<ChangeSettings>;
}

const ConnectionSettingsSchema: v.GenericSchema<unknown, GivenSettings> =
  v.strictObject(connectionSettingEntries);

/**
 * What holds for every connection, and what some of them say otherwise. A connection needs no entry: it is
 * there as soon as its secret is.
 */
export interface ConnectionTable {
  readonly defaults: GivenSettings;
  readonly connections: Readonly<Record<string, GivenSettings>>;
}

export const ConnectionTableSchema: v.GenericSchema<unknown, ConnectionTable> = v.strictObject({
  defaults: ConnectionSettingsSchema,
  connections: recordOf(ConnectionNameSchema, ConnectionSettingsSchema),
});

/** The settings of one connection, checked; its secret may have settings of its own. */
export interface ConnectionSettings {
  readonly api: ApiSettings;
  readonly export: ExportSettings;
  /** By name, `customers` first unless it is left out. */
  readonly lists: ReadonlyMap<string, ListSettings>;
  readonly write: WriteSettings;
  readonly changes: ChangeSettings;
}

/** Whether any connection declares an operation: without one there is nothing to write. */
export function hasOperations({ defaults, connections }: ConnectionTable): boolean {
  return [defaults, ...Object.values(connections)].some(
    ({ operations = [] }) => operations.length > 0,
  );
}

/** Whether any connection asks for an event of each changed record. */
export function hasRecordEvents({ defaults, connections }: ConnectionTable): boolean {
  return [defaults, ...Object.values(connections)].some(({ changes }) => changes?.events === true);
}

/** The names of all lists that any connection has, also one without an entry. */
export function listsOfAll(table: ConnectionTable): readonly string[] {
  const connections = [undefined, ...Object.keys(table.connections)];
  const names = connections.flatMap((connection) => [
    ...connectionSettingsOf(table, connection).lists.keys(),
  ]);
  return [...new Set(names)];
}

/** Stands for an address that only the secret has (RFC 2606 keeps the name free). */
const ANY_BASE_URL = 'https://api.invalid';

/**
 * Settings of a connection by its name.
 *
 * @param connection `undefined` for all that have no entry in the table.
 * @throws SettingError naming the setting that is wrong.
 */
export function connectionSettingsOf(
  table: ConnectionTable,
  connection: string | undefined,
): ConnectionSettings {
  const isDeclared = connection !== undefined && Object.hasOwn(table.connections, connection);
  const ownSettings = (isDeclared && table.connections[connection]) || {};
  const given: GivenSettings = { ...table.defaults, ...ownSettings };
  const api = pick(given, (name) => Object.hasOwn(apiSettings, name));
  const own = pick(given, (name) => Object.hasOwn(exportSettingEntries, name));
  checkWithoutKey({ baseUrl: ANY_BASE_URL, ...api });
  const lists = connectionListsOf(ownSettings, table.defaults);
  const changes = changeSettingsOf({ ...table.defaults.changes, ...ownSettings.changes });
  const ofExports = exportSettingsOf(own);
  return { api, export: ofExports, lists, write: writeSettingsFrom(given, ofExports), changes };
}

function pick(given: GivenSettings, isWanted: (name: string) => boolean) {
  return Object.fromEntries(Object.entries(given).filter(([name]) => isWanted(name)));
}

/** The least that a deadline of a request is worth planning with. */
const MIN_REQUEST_TIMEOUT_MS = 1_000;

/** @param given Checked, but for what only writes have. */
function writeSettingsFrom(given: GivenSettings, ofExports: ExportSettings): WriteSettings {
  const { deadlineMs, firstPage = DEFAULT_LIST_SETTINGS.firstPage } = given;
  const own = pick(given, (name) => Object.hasOwn(writeSettings, name));
  const requestTimeoutMs = deadlineMs && Math.max(MIN_REQUEST_TIMEOUT_MS, deadlineMs);
  const { requestsPerSecond, maxDurationSeconds, historyDays } = ofExports;
  return writeSettingsOf(
    { ...own, ...(requestTimeoutMs && { requestTimeoutMs }) },
    { firstPage, maxDurationSeconds, historyDays, ...defined({ requestsPerSecond }) },
  );
}
