import { EVIDENCE_NAMES } from '../../lib/customers-api/list-evidence.ts';
import { DEFAULT_KEY_HEADER } from '../../lib/customers-api/settings.ts';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { COMPRESSIONS, DEFAULT_COMPRESSION } from '../../lib/exports/compression.ts';
import { DEFAULT_LIST_SETTINGS } from '../../lib/exports/list-settings.ts';
import { KEY_VARIABLE } from './ask-key.ts';
import {
  gotOf,
  number,
  type Option,
  type OptionValues,
  objectOption,
  oneOf,
  option,
  text,
} from './option-table.ts';

const { perPage, firstPage } = DEFAULT_LIST_SETTINGS;
export const DEFAULT_OUT = './exports';

export const HEADER_OPTION = option(
  'NAME',
  'header that carries the key',
  text,
  DEFAULT_KEY_HEADER,
);

export const QUERY_OPTION = objectOption(
  'parameters of each request',
  '{"status": "active"}',
  'none',
);

const META_KEYS = objectOption(
  'names inside meta, as in the setting metaKeys',
  '{"totalPages": "page_count"}',
  'found by rule',
);

function metaKeysFrom(given: string, name: string): Readonly<Record<string, unknown>> {
  const keys = META_KEYS.read(given, name);
  const known: readonly string[] = EVIDENCE_NAMES;
  const stranger = Object.keys(keys).find((each) => !known.includes(each));
  if (stranger === undefined) return keys;
  const problem = `expected one of ${known.join(', ')}, got ${gotOf(stranger)}`;
  throw new SettingError(name, problem);
}

export const PAGE_OPTIONS = {
  'per-page': option('N', 'records a page', number(), perPage),
  'first-page': option('N', 'number of the first page, 0 or 1', number(), firstPage),
  'items-key': option('NAME', 'member that holds the records', text, 'found by rule'),
  'id-key': option('NAME', 'member that identifies a record', text, 'found by rule'),
  'meta-keys': { ...META_KEYS, read: metaKeysFrom },
} as const;

export const EXPORT_OPTIONS = {
  'requests-per-second': option(
    'R',
    'never ask more often',
    number(),
    "the API's throttling decides",
  ),
  compression: option(
    'FORM',
    'how parts are compressed: gzip or zstd',
    oneOf(COMPRESSIONS),
    DEFAULT_COMPRESSION,
  ),
  out: option('DIR', 'where the files go', text, DEFAULT_OUT),
} as const;

/** Of a program that asks a real API. */
export const KEY_SOURCE = `The key is taken from ${KEY_VARIABLE}, or asked for without showing it.`;

/** What the help of such a program says. */
export const KEY_NOTES = `${KEY_SOURCE}
A private certificate authority is named in NODE_EXTRA_CA_CERTS.`;

/** @param otherwise What holds without it; without that it is needed. */
export function baseUrlOption(otherwise?: string): Option<string> {
  const needed = otherwise === undefined ? '; needed' : '';
  return option('URL', `the API, without /2.0/${needed}`, text, otherwise);
}

/** @throws SettingError when it is needed and was not given. */
export function neededBaseUrl(given: { readonly 'base-url': string | undefined }): string {
  const { 'base-url': baseUrl } = given;
  if (baseUrl !== undefined) return baseUrl;
  throw new SettingError(
    '--base-url',
    'expected the address of the API, such as https://api.example.com',
  );
}

export function pageSettingsIn(given: OptionValues<typeof PAGE_OPTIONS>) {
  return defined({
    perPage: given['per-page'],
    firstPage: given['first-page'],
    itemsKey: given['items-key'],
    idKey: given['id-key'],
    metaKeys: given['meta-keys'],
  });
}

export function exportSettingsIn(given: OptionValues<typeof EXPORT_OPTIONS>) {
  const { 'requests-per-second': requestsPerSecond, compression } = given;
  return defined({ requestsPerSecond, compression });
}
