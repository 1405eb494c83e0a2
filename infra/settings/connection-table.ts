import * as v from 'valibot';
import {
  type ConnectionTable,
  ConnectionTableSchema,
  connectionSettingsOf,
  type GivenSettings,
} from '../../functions/services/connection-settings.ts';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { known } from './known-value.ts';

const TABLE = 'connectionTable';

interface TablePlaces {
  readonly defaults: string;
  readonly connections: string;
}

const TABLE_PLACES: TablePlaces = {
  defaults: `${TABLE}.defaults`,
  connections: `${TABLE}.connections`,
};

/**
 * Checks the settings of every connection as the functions do, so that a mistake shows before the deployment.
 *
 * @returns The same without what is `undefined`, which TypeScript takes for left out and the functions never see.
 * @throws SettingError naming the path of the setting that is wrong.
 */
export function checkedConnectionTable(
  given: ConnectionTable,
  places = TABLE_PLACES,
): ConnectionTable {
  const table = parseSetting(GivenTableSchema, given, TABLE);
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
      throw error.at(`${place}.${error.setting}`);
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
  return table;
}

const GivenTableSchema = known(
  v.pipe(v.unknown(), v.transform(withoutUndefined), ConnectionTableSchema),
  TABLE,
);

function withoutUndefined(given: unknown): unknown {
  if (Array.isArray(given)) return given.map(withoutUndefined);
  if (!isJsonObject(given)) return given;
  const members = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members.map(([name, value]) => [name, withoutUndefined(value)]));
}

/** Whether a setting is one of this connection, and not of all. */
function isSetIn(own: GivenSettings, setting: string): boolean {
  const [name = '', list] = setting.split(/[.[]/);
  const isOfLists = name === 'lists' && list !== undefined;
  return isOfLists ? Object.hasOwn(own.lists ?? {}, list) : Object.hasOwn(own, name);
}
