import * as v from 'valibot';
import type { MetaKeys } from '../customers-api/list-evidence.ts';
import { listOptionsOf } from '../customers-api/list-options.ts';
import { parseOptions } from '../customers-api/parse-options.ts';
import {
  listQueryOf,
  ParameterValueSchema,
  type Query,
  type SentQuery,
} from '../customers-api/query.ts';
import { DEFAULT_MAX_PASSES } from '../customers-api/walks/new-walk.ts';
import {
  SET_ORDERS,
  type SetOrder,
  WALK_KINDS,
  type WalkKind,
} from '../customers-api/walks/taken.ts';
import { defined } from '../defined.ts';
import { SettingError } from '../errors.ts';
import { numberIn } from '../number-range.ts';
import { recordOf } from '../record-of.ts';

/** The list that every connection has without any setting. */
export const CUSTOMERS_LIST = 'customers';

/** One list of a connection: which records it has, and how its pages are read. */
export interface ListSettings extends ListPlaces {
  readonly list: string;
  /** Resource under `/2.0/`. @default the name of the list */
  readonly resource: string;
  /** `per_page` of each request, 1 to 10,000. @default 100 */
  readonly perPage: number;
  /** Number of the first page, 0 or 1. @default 1 */
  readonly firstPage: number;
  /**
   * `verified`: pages that share records, so that what moves while the list is read is not missed; `fast`: one page
   * after the other. @default 'verified'
   */
  readonly walk: WalkKind;
  /** Most requests of a verified walk, as a multiple of those of a fast one, 1.5 to 20. @default 2 */
  readonly maxPasses: number;
  /**
   * The order of the list, where its records do not show it: `fixed` if an edit leaves a record at its place,
   * `by-last-edit` if it moves it to the front or to the end, `appended` if besides `fixed` no record is ever added but
   * at the end, nor comes back in the middle.
   * @default - learned: by id, or by a member with the time at which a record was made or last edited
   */
  readonly order?: SetOrder;
  /** Parameters of each request besides `page` and `per_page`, 2,000 characters at most. @default none */
  readonly query: SentQuery;
}

/** Where the members of its pages are; what is absent is found by rule, see `CustomersClientOptions`. */
interface ListPlaces {
  readonly itemsKey?: string;
  readonly metaKeys?: MetaKeys;
  readonly idKey?: string;
}

/** What may be set for a list, or for all lists of a connection. */
export interface GivenListSettings extends Partial<Omit<ListSettings, 'list' | 'query'>> {
  readonly query?: Query;
}

export const DEFAULT_LIST_SETTINGS = {
  perPage: 100,
  firstPage: 1,
  walk: 'verified',
  maxPasses: DEFAULT_MAX_PASSES,
} as const;

/** What each of them may be; names, places and the whole query are checked with the list. */
export const listSettingEntries = {
  resource: v.exactOptional(v.string()),
  perPage: v.exactOptional(numberIn([1, 10_000])),
  firstPage: v.exactOptional(numberIn([0, 1])),
  walk: v.exactOptional(v.picklist(WALK_KINDS, 'expected verified or fast')),
  maxPasses: v.exactOptional(numberIn([1.5, 20, 'fractions'])),
  order: v.exactOptional(v.picklist(SET_ORDERS, 'expected fixed, by-last-edit or appended')),
  query: v.exactOptional(recordOf(v.string(), ParameterValueSchema)),
  itemsKey: v.exactOptional(v.string()),
  metaKeys: v.exactOptional(recordOf(v.string(), v.union([v.string(), v.literal(false)]))),
  idKey: v.exactOptional(v.string()),
} satisfies { readonly [K in keyof GivenListSettings]-?: v.GenericSchema };

const ListSettingsSchema = v.strictObject(listSettingEntries);

/**
 * Checks the settings of one list and fills in its defaults.
 *
 * @throws SettingError naming the setting, such as `perPage` or `query.page`.
 */
export function listSettingsOf(list: string, given: GivenListSettings): ListSettings {
  const { query, itemsKey, metaKeys, idKey, ...others } = given;
  parseOptions(ListSettingsSchema, given, 'settings');
  const settings = { ...DEFAULT_LIST_SETTINGS, resource: list, ...others };
  if (!/^[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*$/.test(settings.resource)) {
    throw new SettingError(
      'resource',
      'expected names of letters, digits, - and _ joined by /, for example customers',
    );
  }
  const places = defined({ itemsKey, metaKeys, idKey });
  listOptionsOf(places);
  return { list, ...settings, query: queryOf(query), ...places };
}

/** Enough to select records, and far below what servers take: 8,000 octets for a URL (RFC 9110, section 4.1). */
const MAX_QUERY_LENGTH = 2_000;

function queryOf(given: Query | undefined): SentQuery {
  const query = listQueryOf(given);
  if (new URLSearchParams(query).toString().length <= MAX_QUERY_LENGTH) return query;
  throw new SettingError(
    'query',
    `expected at most ${MAX_QUERY_LENGTH} characters as they are sent`,
  );
}
