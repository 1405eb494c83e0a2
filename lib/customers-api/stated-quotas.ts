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
interface ThreeFields {
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
const UNITS = Object.entries({ second: 1, minute: 60, hour: 3_600, day: 86_400 }).map(
  ([unit, windowSeconds]) => ({
    ...{ limit: `x-ratelimit-limit-${unit}`, remaining: `x-ratelimit-remaining-${unit}` },
    windowSeconds,
  }),
);

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
  const policies = limitsIn(fields.get('ratelimit-policy')).quotas;
  const { first, quotas } = limitsIn(three.limit);
  const states = itemsIn(fields.get('ratelimit'));
  const isVersion7 = states[0]?.value.startsWith('limit=');
  const lefts = [
    leftOf({ ...three, limit: first }),
    ...(isVersion7 ? [leftByNames(states)] : states.map(leftByName)),
    ...unitsIn(fields),
  ];
  return lefts
    .filter(({ remaining }) => remaining !== undefined)
    .reduce(withLeft, policies.length > 0 ? policies : quotas);
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

function leftOf({ limit, remaining, resetSeconds }: ThreeFields): Left {
  const requests = wholeNumber(limit) || undefined;
  return defined({ requests, remaining: wholeNumber(remaining), resetSeconds });
}

/** Version 7: the parts of a list, one limit in all. */
function leftByNames(states: readonly Item[]): Left {
  const parts = new Map(states.map(({ value }) => nameAndValue(value)));
  const resetSeconds = secondsIn(parts.get('reset'));
  return leftOf({ limit: parts.get('limit'), remaining: parts.get('remaining'), resetSeconds });
}

function leftByName({ value, parameters }: Item): Left {
  const resetSeconds = secondsIn(parameters.get('t'));
  const left = leftOf({ limit: undefined, remaining: parameters.get('r'), resetSeconds });
  return { ...left, name: shortened(value) };
}

function unitsIn(fields: ReadonlyMap<string, string>): readonly Left[] {
  return UNITS.flatMap(({ limit, remaining, windowSeconds }) => {
    if (!fields.has(remaining)) return [];
    const [requests, left] = [fields.get(limit), fields.get(remaining)];
    return {
      ...leftOf({ limit: requests, remaining: left, resetSeconds: undefined }),
      windowSeconds,
    };
  });
}

/** What a text says of limits: the policies, and the number before them. */
interface Limits {
  readonly first: string | undefined;
  readonly quotas: readonly StatedQuota[];
}

function limitsIn(text: string | undefined): Limits {
  const items = itemsIn(text);
  const quotas = items.flatMap(policyOf);
  const names = quotas.map(({ name }) => name);
  const different = quotas.filter(({ name }, index) => names.indexOf(name) === index);
  return { first: items[0]?.value, quotas: different.slice(0, MAX_QUOTAS) };
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

function itemsIn(text = ''): readonly Item[] {
  if (text.length > MAX_CHARACTERS) return [];
  return partsOf(text, BETWEEN_COMMAS).map((item) => {
    const [value = '', ...parameters] = partsOf(item, BETWEEN_SEMICOLONS);
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

/** A string may hold a separator. */
const BETWEEN_COMMAS = /(?:"(?:\\.|[^"\\])*"|[^,])+/g;
const BETWEEN_SEMICOLONS = /(?:"(?:\\.|[^"\\])*"|[^;])+/g;

/** Without the blanks around them. */
function partsOf(text: string, part: RegExp): readonly string[] {
  return (text.match(part) ?? []).map((each) => each.trim());
}
