import { SettingError } from '../errors.ts';
import {
  CUSTOMERS_LIST,
  type GivenListSettings,
  type ListSettings,
  listSettingEntries,
  listSettingsOf,
} from './list-settings.ts';

/** What may be set about lists for a connection, or for all of them. */
export interface GivenConnectionLists extends GivenListSettings {
  /** By the name of the list; `false`: it is not there. */
  readonly lists?: GivenLists;
}

type GivenLists = Readonly<Record<string, GivenListSettings | false>>;

/** The lists take turns, so the last one waits for all others; more is likely a mistake. */
const MAX_LISTS = 50;

/**
 * The lists of one connection by name, `customers` first. Each member of a list comes from the first that has it: the
 * connection's own list, the list of all connections, the connection, all connections. Only `customers` takes
 * `resource` from the latter two.
 *
 * @param shared What is set for all connections.
 * @throws SettingError naming the setting below its connection, such as `perPage` or `lists.invoices.perPage`.
 */
export function connectionListsOf(
  own: GivenConnectionLists,
  shared: GivenConnectionLists,
): ReadonlyMap<string, ListSettings> {
  const common = { ...membersOf(shared), ...membersOf(own) };
  const { resource: _ofCustomers, ...inherited } = common;
  // By themselves, so that the error names their place and not a list that takes them.
  listSettingsOf(CUSTOMERS_LIST, common);
  requireKnown(shared.lists, {});
  requireKnown(own.lists, shared.lists);
  const lists = new Map<string, ListSettings>();
  for (const list of namesOf(own, shared)) {
    const [ownList, sharedList] = [entryOf(own.lists, list), entryOf(shared.lists, list)];
    if ((ownList ?? sharedList) === false) continue;
    const base = list === CUSTOMERS_LIST ? common : inherited;
    const given = { ...base, ...(sharedList || {}), ...(ownList || {}) };
    lists.set(
      list,
      atPlace(`lists.${list}`, () => listSettingsOf(list, given)),
    );
  }
  if (lists.size <= MAX_LISTS) return lists;
  throw new SettingError('lists', `expected at most ${MAX_LISTS} lists, got ${lists.size}`);
}

/** What lists may have of a connection, without what is not about lists. */
function membersOf(given: GivenConnectionLists): GivenListSettings {
  const members = Object.entries(given);
  return Object.fromEntries(members.filter(([name]) => Object.hasOwn(listSettingEntries, name)));
}

function namesOf(own: GivenConnectionLists, shared: GivenConnectionLists): ReadonlySet<string> {
  return new Set([
    CUSTOMERS_LIST,
    ...Object.keys(shared.lists ?? {}),
    ...Object.keys(own.lists ?? {}),
  ]);
}

/** Also a list called `constructor`. */
function entryOf(lists: GivenLists = {}, list: string): GivenLists[string] | undefined {
  return Object.hasOwn(lists, list) ? lists[list] : undefined;
}

/** A misspelt name would leave in the list that should be left out. */
function requireKnown(lists: GivenLists = {}, others: GivenLists = {}): void {
  const known = [CUSTOMERS_LIST, ...Object.keys(others)];
  const unknown = Object.keys(lists).find(
    (list) => entryOf(lists, list) === false && !known.includes(list),
  );
  if (unknown === undefined) return;
  throw new SettingError(
    `lists.${unknown}`,
    `false leaves out a list that would be there, which are: ${[...new Set(known)].join(', ')}`,
  );
}

function atPlace<T>(place: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw error.at(`${place}.${error.setting}`);
  }
}
