import { SettingError } from '../errors.ts';
import { answerPlan } from './answer-plan.ts';
import { Exchange, NO_CONTENT } from './exchange.ts';
import type { HttpRequest } from './http.ts';
import { type ListOptions, listOptionsOf } from './list-options.ts';
import type { ListOutcome } from './outcome.ts';
import { pageOf } from './page.ts';
import type { SentQuery } from './query.ts';
import { resourceUrl } from './resource-url.ts';
import {
  type CustomersClientOptions,
  type CustomersClientSettings,
  refuseKeyIn,
  settingsOf,
} from './settings.ts';

/** How a page is asked for. */
export interface PageOptions {
  /** Records to ask for, 1 or more. @default - `perPage` of the list, or of the client */
  readonly perPage?: number | undefined;
  /** Member that identifies a record. @default - that of the list or client, else learned from the page */
  readonly idKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

interface AskOptions extends PageOptions {
  /** See {@link HttpRequest}. */
  readonly onLeave?: (() => void) | undefined;
  /** Whether only status 401 rejects the key, and no other one, by which some APIs refuse a page. @default false */
  readonly isProbe?: boolean | undefined;
}

/** Asks for one page of a list. Every answer is a value. Only a request whose connection broke at once is sent once more. */
export type AskPage = (page: number, options?: AskOptions) => Promise<ListOutcome>;

/** Gives what asks for the pages of a resource, or of what a query selects of it. */
export type PagesOf = (resource: string, query?: SentQuery, options?: PagesOptions) => AskPage;

interface PagesOptions extends Omit<ListOptions, 'itemsKey'> {
  /** `false`: found by rule, whatever the client's own is. */
  readonly itemsKey?: string | false | undefined;
}

/**
 * For who asks for pages and for nothing else, such as an export: less to load than a whole client.
 *
 * @throws SettingError naming the option that is wrong; InvalidKeyError.
 */
export function createPageClient(options: CustomersClientOptions): PagesOf {
  const settings = settingsOf(options);
  return pagesOf(new Exchange(settings), settings);
}

export function pagesOf(exchange: Exchange, settings: CustomersClientSettings): PagesOf {
  return (resource, query, { itemsKey, ...options } = {}) => {
    const own = listOptionsOf({ ...options, itemsKey: itemsKey || undefined });
    const others = itemsKey === false ? { ...settings, itemsKey: undefined } : settings;
    return pageAsker(resource, exchange, { ...others, ...own }, query);
  };
}

/** @param settings Those of the client, with the list's own in their place. */
export function pageAsker(
  resource: string,
  exchange: Exchange,
  settings: CustomersClientSettings,
  query: SentQuery = {},
): AskPage {
  const { itemsKey, metaKeys, idKey: idKeyOfList, key } = settings;
  refuseKeyIn({ itemsKey, metaKeys, idKey: idKeyOfList }, key);
  const url = resourceUrl(settings.apiRoot, resource);
  const plan = answerPlan(metaKeys);
  const context = { resource, itemsKey, metaKeys, holdsKey: exchange.keyInText };
  return async (page, options = {}) => {
    const { perPage = settings.perPage, idKey = idKeyOfList, ...how } = options;
    requireWhole('page', page, 0);
    if (perPage !== undefined) requireWhole('perPage', perPage, 1);
    const asked = { ...query, page, per_page: perPage };
    const request = { url, query: asked, plan, isList: true, ...how };
    return exchange.get(request, (body, facts) => {
      // Nothing that a setting names is in an answer without a body.
      const named = facts.status === NO_CONTENT ? { itemsKey: undefined, metaKeys: {} } : {};
      return pageOf(body, { ...context, ...named, idKey, page, facts });
    });
  };
}

function requireWhole(setting: string, value: unknown, min: number): void {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= min) return;
  const got = typeof value === 'number' ? String(value) : typeof value;
  throw new SettingError(setting, `expected a whole number of ${min} or more, got ${got}`);
}
