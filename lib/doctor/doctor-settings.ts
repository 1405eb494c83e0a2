import { defined } from '../defined.ts';
import {
  CUSTOMERS_LIST,
  DEFAULT_LIST_SETTINGS,
  type GivenListSettings,
} from '../exports/list-settings.ts';
import type { PageSizes } from './page-sizes.ts';
import type { ListProfile } from './profile.ts';

export interface Examined {
  readonly baseUrl: string;
  /** Absent: the default header. */
  readonly header?: string;
  readonly resource: string;
  readonly query: Readonly<Record<string, string>>;
}

/** A list is read twice then, which is what shows it complete where its order or its pages do not. */
const PASSES_TO_COMPARE = 3;
/** A page that took longer leaves too little of the 30 s that a request has. */
const SLOW_MS = 10_000;
const LARGE_BYTES = 4 * 1024 * 1024;
/** Of the setting. */
const MOST_PER_PAGE = 10_000;

/** The settings of the list, as an export takes them. What is known is written out, so that nothing has to be learned. */
export function listSettingsFor(
  list: ListProfile,
  { resource, query }: Examined,
): GivenListSettings {
  const { items, meta, id, askedFrom, sizes } = list;
  const hasQuery = Object.keys(query).length > 0;
  const hasMetaKeys = Object.keys(meta.metaKeys).length > 0;
  return defined({
    resource: resource === listNameOf(resource) ? undefined : resource,
    perPage: sizes === undefined ? undefined : perPageFor(sizes, list),
    firstPage: askedFrom,
    query: hasQuery ? query : undefined,
    itemsKey: items.path === '' ? undefined : items.path,
    metaKeys: hasMetaKeys ? meta.metaKeys : undefined,
    idKey: id.kind === 'found' ? id.member : undefined,
    maxPasses: needsPasses(list) ? PASSES_TO_COMPARE : undefined,
  });
}

/** The same where a connection takes them: beside its address, or below `lists` if it is another list. */
export function connectionSettingsFor(list: ListProfile, examined: Examined): object {
  const { baseUrl, header, resource } = examined;
  const name = listNameOf(resource);
  const settings = listSettingsFor(list, examined);
  const where = name === CUSTOMERS_LIST ? settings : { lists: { [name]: settings } };
  return { ...defined({ baseUrl, header }), ...where };
}

/** The list of that resource: a name has small letters, digits and hyphens. */
export function listNameOf(resource: string): string {
  const last = resource.split('/').at(-1) ?? resource;
  return last
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 63);
}

/** Whether the list is longer than one page, or may be. */
export function hasSeveralPages({ end, cost, ignoresPage }: ListProfile): boolean {
  if (cost.records === 0 || ignoresPage) return false;
  return (end?.pages ?? 2) > 1;
}

/** Windows that share records need pages of any size, and an order that the records show. */
function needsPasses(list: ListProfile): boolean {
  if (!hasSeveralPages(list)) return false;
  const areSizesTaken = list.sizes?.odd === undefined || list.sizes.odd === 'taken';
  const isOrderShown = !['unknown', 'unstable'].includes(list.order.kind);
  return !areSizesTaken || !isOrderShown;
}

/** The largest pages that came in good time. */
function perPageFor(sizes: PageSizes, list: ListProfile): number {
  if (!hasSeveralPages(list)) {
    const asked = sizes.tried.find(({ asked, got }) => asked !== undefined && got !== undefined);
    return asked?.asked ?? DEFAULT_LIST_SETTINGS.perPage;
  }
  const came = sizes.tried.flatMap(({ asked, got, bytes = 0, elapsedMs }) => {
    const isGood = elapsedMs < SLOW_MS && bytes <= LARGE_BYTES;
    return asked === undefined || got === undefined ? [] : [{ size: Math.min(asked, got), isGood }];
  });
  const sizesThatCame = came.some(({ isGood }) => isGood)
    ? came.filter(({ isGood }) => isGood)
    : came;
  const largest = Math.max(...sizesThatCame.map(({ size }) => size), 0);
  return Math.min(MOST_PER_PAGE, largest || sizes.largest);
}
