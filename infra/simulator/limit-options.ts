import { SettingError } from '../../lib/errors.ts';
import {
  number,
  type OptionValues,
  objectOption,
  oneOf,
  option,
} from '../command-line/option-table.ts';
import { DEFAULTS } from './options.ts';
import type { RateLimit } from './rate-limit.ts';
import { RATE_LIMIT_HEADERS } from './rate-limit-headers.ts';
import { parseRateLimit } from './rate-limit-option.ts';

/** For people: a limit that an export meets within its first seconds. */
const DEFAULT_RATE_PER_SECOND = 5;
const DEFAULT_BURST = 10;

const { rateLimitHeaders, retryAfter } = DEFAULTS;
const decimal = number();

const LIMIT_JSON = objectOption(
  'limits of other kinds, instead of --rate',
  '{"kind": "at-once", "requests": 5}',
);

/** The options of the simulator's program about limits, in the order of its help. */
export const LIMIT_OPTIONS = {
  rate: option(
    'R',
    'requests per second, or per window with --window; none: no limit',
    rateOf,
    DEFAULT_RATE_PER_SECOND,
  ),
  burst: option('B', 'requests at once before --rate counts', decimal, DEFAULT_BURST),
  window: option('S', 'count --rate requests in fixed windows of S seconds', decimal),
  limit: option('JSON', LIMIT_JSON.what, limitFrom),
  'rate-limit-headers': {
    ...option(
      'FORM',
      'headers with the state of the limits',
      oneOf(RATE_LIMIT_HEADERS),
      rateLimitHeaders,
    ),
    choices: RATE_LIMIT_HEADERS,
  },
  'retry-after': option(
    'FORM',
    'form of Retry-After: seconds or date',
    oneOf(['seconds', 'date']),
    retryAfter,
  ),
} as const;

function limitFrom(given: string, name: string): RateLimit {
  return parseRateLimit(LIMIT_JSON.read(given, name), name);
}

/** The limit that the options make. @throws SettingError naming the option. */
export function limitOf(given: OptionValues<typeof LIMIT_OPTIONS>): RateLimit {
  const { limit, rate = DEFAULT_RATE_PER_SECOND, burst, window } = given;
  if (limit !== undefined) {
    const other = (['rate', 'burst', 'window'] as const).find((each) => given[each] !== undefined);
    if (other === undefined) return limit;
    throw new SettingError(`--${other}`, 'has no meaning with --limit');
  }
  if (burst !== undefined && (window !== undefined || rate === 'none')) {
    const other = rate === 'none' ? '--rate none' : '--window';
    throw new SettingError('--burst', `has no meaning with ${other}`);
  }
  if (rate !== 'none') {
    return window === undefined
      ? { kind: 'token-bucket', ratePerSecond: rate, burst: burst ?? DEFAULT_BURST }
      : { kind: 'fixed-window', requests: rate, windowSeconds: window };
  }
  if (window === undefined) return { kind: 'none' };
  throw new SettingError('--window', 'has no meaning with --rate none');
}

function rateOf(given: string, name: string): number | 'none' {
  return given === 'none' ? given : decimal(given, name);
}
