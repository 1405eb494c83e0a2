import * as v from 'valibot';
import { SettingError } from '../errors.ts';
import { ApiKey } from '../key/api-key.ts';
import { placeOfKey } from '../key/place-of-key.ts';
import { wholeNumber } from '../number-range.ts';
import type { MetaKeys } from './list-evidence.ts';
import { type ListOptions, listOptionEntries } from './list-options.ts';
import { parseOptions } from './parse-options.ts';
import { apiRootOf } from './resource-url.ts';

/** The header of the specification. */
export const DEFAULT_KEY_HEADER = 'API-KEY';
const DEFAULT_FIRST_PAGE = 1;
/** Longest time for one request, body included: half a minute is more than a page takes, and less than any step. */
const DEFAULT_DEADLINE_MS = 30_000;
/** Largest body: pages have tens or hundreds of kilobytes; this leaves room for many in flight in 512 MB. */
const DEFAULT_MAX_BODY_BYTES = 16 * 1024 * 1024;
/** An AWS Lambda function runs for 900 s at most, so a longer deadline could never be kept. */
const MAX_DEADLINE_MS = 900_000;
/** Longer text does not fit into a JavaScript string (V8's limit is just below 512 MiB). */
const MAX_BODY_BYTES = 500 * 1024 * 1024;
/** Statuses by which the key itself is rejected. */
const DEFAULT_AUTHENTICATION_STATUSES: readonly number[] = [401, 403];

/** The members of {@link ListOptions} hold for every list that has none of its own. */
export interface CustomersClientOptions extends ListOptions {
  /** The part before `/2.0/`, with or without a path; `https:` only. */
  readonly baseUrl: string;
  /** One organization's key; text is checked by {@link ApiKey.from}. */
  readonly key: ApiKey | string;
  /** Name of the header that carries the key. @default 'API-KEY' */
  readonly header?: string | undefined;
  /** Longest time for one request with its body, 1 to 900 000 ms. @default 30000 */
  readonly deadlineMs?: number | undefined;
  /** Largest body after decompression, 1 byte to 500 MiB. @default 16 MiB */
  readonly maxBodyBytes?: number | undefined;
  /** Statuses by which the API rejects the key. 401 always does. @default [401, 403] */
  readonly authenticationStatuses?: readonly number[] | undefined;
  /**
   * Called with the address and a request that carries the key; `globalThis.fetch` fits.
   * @default globalThis.fetch
   */
  readonly fetch?: typeof fetch | undefined;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined;
  /** Random number from 0 to below 1. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** The options, checked and with their defaults. */
export type CustomersClientSettings = Readonly<ReturnType<typeof settingsOf>>;

const aFunction = 'expected a function';

/** Set by HTTP or by this client; the key in their place would be lost, or break every request. */
const RESERVED_HEADERS = new Set([
  'accept',
  'accept-encoding',
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'idempotency-key',
  'keep-alive',
  // Which fetch sets itself.
  'sec-fetch-mode',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'user-agent',
]);

const outsideHttp = v.check(
  (name: string) => !RESERVED_HEADERS.has(name.toLowerCase()),
  'expected a header of the API, not one of HTTP itself',
);

/** All that may be set beside the key. */
const entries = {
  baseUrl: v.string('expected text such as https://api.example.com'),
  header: v.optional(
    // A field name is a token (RFC 9110 section 5.6.2).
    v.pipe(
      v.string(),
      v.regex(/^[\w!#$%&'*+.^`|~-]{1,256}$/, 'expected a header name'),
      outsideHttp,
    ),
    DEFAULT_KEY_HEADER,
  ),
  ...listOptionEntries,
  deadlineMs: v.optional(wholeNumber(1, MAX_DEADLINE_MS), DEFAULT_DEADLINE_MS),
  maxBodyBytes: v.optional(wholeNumber(1, MAX_BODY_BYTES), DEFAULT_MAX_BODY_BYTES),
  authenticationStatuses: v.optional(
    v.array(
      v.pipe(
        wholeNumber(400, 499),
        v.check((status) => status !== 407, 'expected another status than 407, which fetch hides'),
      ),
    ),
    [...DEFAULT_AUTHENTICATION_STATUSES],
  ),
  fetch: v.optional(v.custom<typeof fetch>(isFunction, aFunction)),
  now: v.optional(v.custom<() => number>(isFunction, aFunction)),
  random: v.optional(v.custom<() => number>(isFunction, aFunction)),
};

const withoutKeySchema = v.strictObject(entries);
const optionsSchema = v.strictObject({
  ...entries,
  key: v.union([v.custom<ApiKey>(isApiKey), v.string()], 'expected text or an ApiKey'),
});

/**
 * Checks the options and fills in the defaults.
 *
 * @throws SettingError naming the first wrong option; InvalidKeyError for a key that no header can carry.
 */
export function settingsOf(options: unknown) {
  const parsed = parseOptions(optionsSchema, options, 'options');
  const { baseUrl, now, random, key: givenKey, ...settings } = parsed;
  const key = typeof givenKey === 'string' ? ApiKey.from(givenKey) : givenKey;
  refuseKeyIn({ baseUrl, ...settings }, key);
  const { firstPage = DEFAULT_FIRST_PAGE } = settings;
  const metaKeys: MetaKeys = settings.metaKeys ?? {};
  return {
    ...settings,
    firstPage,
    metaKeys,
    apiRoot: apiRootOf(baseUrl),
    key,
    fetch: parsed.fetch ?? fetch,
    now: now ?? Date.now,
    /** By a clock that nobody sets, ms. */
    elapsed: now ?? (() => performance.now()),
    random: random ?? Math.random,
  };
}

/**
 * Checks all that may be set beside the key, before there is one.
 *
 * @throws SettingError naming the first wrong option.
 */
export function checkWithoutKey(options: unknown): void {
  apiRootOf(parseOptions(withoutKeySchema, options, 'options').baseUrl);
}

/** Addresses and names are written to logs on their way, to settings and to manifests. */
export function refuseKeyIn(settings: object, key: ApiKey): void {
  const place = placeOfKey(key, settings);
  if (place === undefined) return;
  throw new SettingError(place, 'holds the key. Take it out, and consider the key exposed');
}

function isFunction(value: unknown): boolean {
  return typeof value === 'function';
}

function isApiKey(value: unknown): boolean {
  return value instanceof ApiKey;
}
