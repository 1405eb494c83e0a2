import * as v from 'valibot';
import {
  type ConnectionTable,
  ConnectionTableSchema,
  connectionSettingsOf,
  type GivenSettings,
} from '../../functions/services/connection-settings.ts';
import { SettingError } from '../../lib/errors.ts';

interface TablePlaces {
  readonly defaults: string;
  readonly connections: string;
}

const TABLE_PLACES: TablePlaces = {
  defaults: 'connectionTable.defaults',
  connections: 'connectionTable.connections',
};

/**
 * Checks the settings of every connection as the functions do, so that a mistake shows before the deployment.
 *
 * @throws SettingError naming the path of the setting that is wrong.
 */
export function checkConnectionTable(table: ConnectionTable, places = TABLE_PLACES): void {
  const parsed = v.safeParse(ConnectionTableSchema, table);
  if (!parsed.success) {
    const [issue] = parsed.issues;
    const problem = issue.expected === 'never' ? 'there is no such setting' : issue.message;
    throw new SettingError(`connectionTable.${v.getDotPath(issue) ?? ''}`, problem);
  }
  const declared = Object.entries(table.connections);
  // Also checks a connection without an entry.
  for (const [connection, own] of [[undefined, {}] as const, ...declared]) {
    try {
      connectionSettingsOf(table, connection);
    } catch (error) {
      if (!(error instanceof SettingError)) throw error;
      const place = isSetIn(own, error.setting)
        ? `${places.connections}.${connection}`
        : places.defaults;
      const problem = error.message.slice(`${error.setting}: `.length);
      throw new SettingError(`${place}.${error.setting}`, problem);
    }
  }
  // A secret may hold the base URL. If nothing else sets one, it is more likely a forgotten setting.
  const isTold = declared.length > 0 && declared.every(([, { baseUrl }]) => baseUrl !== undefined);
  if (table.defaults.baseUrl === undefined && !isTold) {
    throw new SettingError(
      `${places.defaults}.baseUrl`,
      'expected the address before /2.0/, got nothing',
    );
  }
}

/** Whether a setting is one of this connection, and not of all. */
function isSetIn(own: GivenSettings, setting: string): boolean {
  const [name = '', list] = setting.split(/[.[]/);
  const isOfLists = name === 'lists' && list !== undefined;
  return isOfLists ? Object.hasOwn(own.lists ?? {}, list) : Object.hasOwn(own, name);
}
