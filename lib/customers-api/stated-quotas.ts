import { defined } from '../defined.ts';
import { toWholeSeconds } from './retry-after.ts';

/** One limit of requests, as an answer states it. */
export interface StatedQuota {
  /** Tells it from the API's other limits, in all answers. */
  readonly name: string;
  /** Requests in each window, 1 or more. */
  readonly requests?: number;
  /** 1 or more. */
  readonly windowSeconds?: number;
  /** `requests` are those that may run at the same time. */
  readonly isAtOnce?: true;
  /** Requests that are admitted still. */
  readonly remaining?: number;
  /** Whole seconds until there are more, 1 or more. */
  readonly resetSeconds?: number;
}

/** What is left of a limit, by the name or by the size of it. */
type Left = Omit<StatedQuota, 'name'> & { readonly name?: string };

/** What three fields say of one limit, such as `X-RateLimit-Limit`, `-Remaining` and `-Reset`. */
export interface ThreeFields {
  readonly limit: string | undefined;
  readonly remaining: string | undefined;
  readonly resetSeconds: number | undefined;
}

/** A longer field is not read, and no more limits than these: real APIs state two or three. */
const MAX_CHARACTERS = 1_000;
const MAX_QUOTAS = 6;
const MAX_NAME_CHARACTERS = 40;

/** Integers of structured fields have at most so many digits (RFC 9651 section 3.3.1). */
const WHOLE_NUMBER = /^\d{1,15}$/;

/** The rate-limiting plugin of Kong states each limit by its unit: `X-RateLimit-Limit-Minute: 10`. */
const UNITS = Object.entries({ second: 1, minute: 60, hour: 3_600, day: 86_400 });

/**
 * The limits that an answer states, by the fields of draft-ietf-httpapi-ratelimit-headers and by older ones.
 *
 * - Versions 8 to 10: `RateLimit-Policy: "burst";q=100;w=60` and `RateLimit: "burst";r=50;t=30`.
 * - Version 7: `RateLimit-Policy: 100;w=60` and `RateLimit: limit=100, remaining=50, reset=5`.
 * - Versions 0 to 6: `RateLimit-Limit: 100, 100;w=60` or the same policy. Envoy sends it with `X-` before it.
 *
 * @param fields By their names in small letters.
 */
export function statedQuotas(
  fields: ReadonlyMap<string, string>,
  three: ThreeFields,
): readonly StatedQuota[] {
  const policies = policiesIn(fields.get('ratelimit-policy') ?? '');
  const limits = itemsIn(three.limit);
  const quotas = policies.length > 0 ? policies : policiesIn(three.limit ?? '');
  const states = itemsIn(fields.get('ratelimit'));
  const version7 = new Map(states.map(({ value }) => nameAndValue(value)));
  const lefts: readonly Left[] = [
    leftOf(limits[0]?.value, three.remaining, three.resetSeconds),
    leftOf(version7.get('limit'), version7.get('remaining'), secondsIn(version7.get('reset'))),
    ...states.map(({ value, parameters }) => ({
      ...leftOf(undefined, parameters.get('r'), secondsIn(parameters.get('t'))),
      name: shortened(value),
    })),
    ...unitsIn(fields),
  ];
  return lefts.filter(({ remaining }) => remaining !== undefined).reduce(withLeft, quotas);
}

function withLeft(quotas: readonly StatedQuota[], left: Left): readonly StatedQuota[] {
  const { name = `${left.requests ?? ''}` } = left;
  const index = quotas.findIndex((each) =>
    left.name === undefined ? each.requests === left.requests : each.name === name,
  );
  const quota = { ...quotas[index], ...left, name: quotas[index]?.name ?? name };
  if (index >= 0) return quotas.with(index, quota);
  return quotas.length < MAX_QUOTAS ? [...quotas, quota] : quotas;
}

function leftOf(
  limit: string | undefined,
  remaining: string | undefined,
  resetSeconds: number | undefined,
): Left {
  const requests = wholeNumber(limit) || undefined;
  return defined({ requests, remaining: wholeNumber(remaining), resetSeconds });
}

function unitsIn(fields: ReadonlyMap<string, string>): readonly Left[] {
  // They come in pairs, and without `RateLimit`, so most answers need no look for each of them.
  if (fields.size < 2 || fields.has('ratelimit')) return [];
  return UNITS.map(([unit, windowSeconds]) => ({
    ...leftOf(
      fields.get(`x-ratelimit-limit-${unit}`),
      fields.get(`x-ratelimit-remaining-${unit}`),
      undefined,
    ),
    windowSeconds,
  }));
}

/** By their text: it is the same in all answers of an API. */
const READ = new Map<string, readonly StatedQuota[]>();
const MOST_READ = 20;

function policiesIn(text: string): readonly StatedQuota[] {
  const read = READ.get(text);
  if (read !== undefined) return read;
  if (READ.size >= MOST_READ) READ.clear();
  const quotas = itemsIn(text).flatMap(policyOf);
  const names = quotas.map(({ name }) => name);
  const different = quotas.filter(({ name }, index) => names.indexOf(name) === index);
  READ.set(text, different.slice(0, MAX_QUOTAS));
  return different.slice(0, MAX_QUOTAS);
}

/** Without a window there is no pace in it, and units such as `content-bytes` are not requests. */
function policyOf({ value, parameters }: Item): readonly StatedQuota[] {
  const [q, w, unit = 'requests'] = ['q', 'w', 'qu'].map((each) => parameters.get(each));
  const requests = wholeNumber(q ?? value);
  const windowSeconds = wholeNumber(w);
  if (requests === undefined || requests === 0) return [];
  const name = q === undefined ? `${value};w=${w}` : shortened(value);
  if (unit === 'concurrent-requests') return [{ name, requests, isAtOnce: true }];
  const isRate = unit === 'requests' && windowSeconds !== undefined && windowSeconds > 0;
  return isRate ? [{ name, requests, windowSeconds }] : [];
}

function shortened(name: string): string {
  return name.slice(0, MAX_NAME_CHARACTERS);
}

function secondsIn(text: string | undefined): number | undefined {
  const number = wholeNumber(text);
  return number === undefined ? undefined : toWholeSeconds(number);
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && WHOLE_NUMBER.test(text) ? Number(text) : undefined;
}

/** Of a list of structured fields: `value;parameter=value`, strings without their quotes. */
interface Item {
  readonly value: string;
  readonly parameters: ReadonlyMap<string, string>;
}

function itemsIn(text: string | undefined): readonly Item[] {
  if (text === undefined || text === '' || text.length > MAX_CHARACTERS) return [];
  return splitOutsideStrings(text, ',').map((item) => {
    const [value = '', ...parameters] = splitOutsideStrings(item, ';');
    return { value: unquoted(value), parameters: new Map(parameters.map(nameAndValue)) };
  });
}

function nameAndValue(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 0) return [text.toLowerCase(), ''];
  return [text.slice(0, at).trim().toLowerCase(), unquoted(text.slice(at + 1).trim())];
}

function unquoted(text: string): string {
  return text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : text;
}

/** The parts without the blanks around them. */
function splitOutsideStrings(text: string, separator: string): readonly string[] {
  // Without a string nothing can hide a separator.
  if (!text.includes('"')) return text.split(separator).map((part) => part.trim());
  const parts: string[] = [];
  let isString = false;
  let from = 0;
  for (let at = 0; at < text.length; at++) {
    if (isString && text[at] === '\\') at++;
    else if (text[at] === '"') isString = !isString;
    else if (!isString && text[at] === separator) {
      parts.push(text.slice(from, at).trim());
      from = at + 1;
    }
  }
  return [...parts, text.slice(from).trim()];
}
