import { type Examined, listNameOf } from '../../../lib/doctor/doctor-settings.ts';
import { CUSTOMERS_LIST, type GivenListSettings } from '../../../lib/exports/list-settings.ts';

export function tryOptions(settings: GivenListSettings, examined: Examined): readonly string[] {
  const list = listNameOf(examined.resource);
  const { resource, perPage, firstPage, query, itemsKey, metaKeys, idKey, maxPasses } = settings;
  const json = (value: object | undefined) => value && JSON.stringify(value);
  return [
    ...given('base-url', examined.baseUrl),
    ...given('header', examined.header),
    ...given('list', list === CUSTOMERS_LIST ? undefined : list),
    ...given('resource', resource),
    ...given('query', json(query)),
    ...given('per-page', perPage),
    ...given('first-page', firstPage),
    ...given('items-key', itemsKey),
    ...given('id-key', idKey),
    ...given('meta-keys', json(metaKeys)),
    ...given('max-passes', maxPasses),
  ];
}

/** The same for `npm start`, which takes the settings of a list as JSON. */
export function startOptions(settings: GivenListSettings, examined: Examined): readonly string[] {
  const list = listNameOf(examined.resource);
  const others = list === CUSTOMERS_LIST ? {} : { [CUSTOMERS_LIST]: false };
  return [
    ...given('base-url', examined.baseUrl),
    ...given('header', examined.header),
    ...given('lists', JSON.stringify({ ...others, [list]: settings })),
  ];
}

function given(name: string, value: string | number | undefined): readonly string[] {
  return value === undefined ? [] : [`--${name}`, String(value)];
}
