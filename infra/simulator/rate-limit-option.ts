import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { numberIn } from '../../lib/number-range.ts';
import type { RateLimit } from './rate-limit.ts';

const requests = numberIn([1, 1e6]);
const seconds = numberIn([0.001, 1e9, 'fractions']);

const inner: v.GenericSchema<RateLimit> = v.lazy(() => RateLimitSchema);
export const RateLimitSchema = v.variant('kind', [
  v.strictObject({ kind: v.literal('none') }),
  v.strictObject({
    kind: v.literal('token-bucket'),
    ratePerSecond: numberIn([0.0001, 1e6, 'fractions']),
    burst: numberIn([1, 1e6, 'fractions']),
  }),
  v.strictObject({ kind: v.literal('fixed-window'), requests, windowSeconds: seconds }),
  v.strictObject({ kind: v.literal('at-once'), requests }),
  v.strictObject({ kind: v.literal('all'), limits: v.pipe(v.array(inner), v.minLength(1)) }),
  v.strictObject({
    kind: v.literal('changing'),
    steps: v.pipe(v.array(v.strictObject({ limit: inner, forSeconds: seconds })), v.minLength(1)),
  }),
]);

/** @throws SettingError naming the place, such as `--limit.limits[1].requests`. */
export function parseRateLimit(given: unknown, setting: string): RateLimit {
  return parseSetting(RateLimitSchema, given, setting);
}
