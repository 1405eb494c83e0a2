import * as v from 'valibot';
import { settingsOf } from '../lib/customers-api/settings.ts';
import { type ExportSettings, exportSettingsOf } from '../lib/exports/export-settings.ts';
import { SettingError } from '../lib/index.ts';
import type { ApiSettings } from './aws/key-connections.ts';

/** Settings of the API client; ranges and defaults are those of `CustomersClientOptions`. */
const apiSettings = {
  baseUrl: v.exactOptional(v.string()),
  header: v.exactOptional(v.string()),
  itemsKey: v.exactOptional(v.string()),
  metaKeys: v.exactOptional(v.record(v.string(), v.union([v.string(), v.literal(false)]))),
  idKey: v.exactOptional(v.string()),
  deadlineMs: v.exactOptional(v.number()),
  maxBodyBytes: v.exactOptional(v.number()),
  authenticationStatuses: v.exactOptional(v.array(v.number())),
};

/** Settings of exports; ranges and defaults are those of `ExportSettings`. */
const exportSettings = {
  resource: v.exactOptional(v.string()),
  perPage: v.exactOptional(v.number()),
  firstPage: v.exactOptional(v.number()),
  requestsPerSecond: v.exactOptional(v.number()),
  pagesInFlight: v.exactOptional(v.number()),
  partMaxPages: v.exactOptional(v.number()),
  partMaxBytes: v.exactOptional(v.number()),
  maxWaitSeconds: v.exactOptional(v.number()),
  longWaitSeconds: v.exactOptional(v.number()),
  maxTotalWaitSeconds: v.exactOptional(v.number()),
  maxPages: v.exactOptional(v.number()),
  maxStepsWithoutPage: v.exactOptional(v.number()),
  maxFailuresInRow: v.exactOptional(v.number()),
  maxDurationSeconds: v.exactOptional(v.number()),
  historyDays: v.exactOptional(v.number()),
} satisfies { readonly [K in keyof ExportSettings]-?: v.GenericSchema };

/** What may be set for a connection, or for all of them. */
export const connectionSettingEntries = { ...apiSettings, ...exportSettings };

/** What may be set for a connection, or for all of them: what is left out has its default. */
export interface GivenSettings
  extends Partial<Omit<ApiSettings, 'fetch' | 'now' | 'random'>>,
    Partial<ExportSettings> {}

const ConnectionSettingsSchema: v.GenericSchema<unknown, GivenSettings> =
  v.strictObject(connectionSettingEntries);

/** The name of a connection. */
export const ConnectionNameSchema = v.pipe(
  v.string(),
  v.regex(
    /^[a-z0-9][a-z0-9-]{0,62}$/,
    'expected 1 to 63 small letters, digits and hyphens, a hyphen not first',
  ),
);

/** All connections by name, and what holds for each of them that does not say otherwise. */
export interface ConnectionTable {
  readonly defaults: GivenSettings;
  readonly connections: Readonly<Record<string, GivenSettings>>;
}

export const ConnectionTableSchema: v.GenericSchema<unknown, ConnectionTable> = v.strictObject({
  defaults: ConnectionSettingsSchema,
  connections: v.record(ConnectionNameSchema, ConnectionSettingsSchema),
});

/** The settings of one connection, complete and checked. */
export interface ConnectionSettings {
  readonly api: ApiSettings;
  readonly export: ExportSettings;
}

/** Stands for the key, which no configuration holds, while the other options are checked. */
const ANY_KEY = 'not-a-key';

/**
 * Settings of a connection by its name, or `undefined` when there is no such connection.
 *
 * @throws SettingError naming the setting that is wrong.
 */
export function connectionSettingsOf(
  table: ConnectionTable,
  connection: string,
): ConnectionSettings | undefined {
  if (!Object.hasOwn(table.connections, connection)) return undefined;
  const given: GivenSettings = { ...table.defaults, ...table.connections[connection] };
  const api = Object.fromEntries(Object.entries(given).filter(([name]) => name in apiSettings));
  const own = Object.fromEntries(Object.entries(given).filter(([name]) => name in exportSettings));
  if (given.baseUrl === undefined) {
    throw new SettingError('baseUrl', 'expected the address before /2.0/, got nothing');
  }
  settingsOf({ ...api, key: ANY_KEY });
  return { api: { ...api, baseUrl: given.baseUrl }, export: exportSettingsOf(own) };
}
