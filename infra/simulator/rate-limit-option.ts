import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { checkRange, type NumberRange } from '../../lib/number-range.ts';
import type { RateLimit } from './rate-limit.ts';

/** By the names of the members. */
const RANGES: Readonly<Record<string, NumberRange>> = {
  ratePerSecond: [0.0001, 1e6, 'fractions'],
  burst: [1, 1e6, 'fractions'],
  requests: [1, 1e6],
  windowSeconds: [0.001, 1e9, 'fractions'],
  forSeconds: [0.001, 1e9, 'fractions'],
};

// NaN has its own message, by its range.
const number = v.union([v.number(), v.nan()]);
const inner: v.GenericSchema<RateLimit> = v.lazy(() => limitSchema);
const limitSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('none') }),
  v.strictObject({ kind: v.literal('token-bucket'), ratePerSecond: number, burst: number }),
  v.strictObject({ kind: v.literal('fixed-window'), requests: number, windowSeconds: number }),
  v.strictObject({ kind: v.literal('at-once'), requests: number }),
  v.strictObject({ kind: v.literal('all'), limits: v.pipe(v.array(inner), v.minLength(1)) }),
  v.strictObject({
    kind: v.literal('changing'),
    steps: v.pipe(v.array(v.strictObject({ limit: inner, forSeconds: number })), v.minLength(1)),
  }),
]);

/** @throws SettingError naming the place, such as `limit.limits[1].requests`. */
export function parseRateLimit(given: unknown, setting = 'limit'): RateLimit {
  const limit = parseSetting(limitSchema, given, setting);
  checkNumbers(setting, limit);
  return limit;
}

function checkNumbers(path: string, members: object): void {
  for (const [name, value] of Object.entries(members)) {
    const place = Array.isArray(members) ? `${path}[${name}]` : `${path}.${name}`;
    if (typeof value === 'object') checkNumbers(place, value);
    const range = RANGES[name];
    if (range !== undefined) checkRange(place, Number(value), range);
  }
}
