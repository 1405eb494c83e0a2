import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import { SettingError } from '../../lib/errors.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import { numberIn } from '../../lib/number-range.ts';
import type { RateLimit } from './rate-limit.ts';

const requests = numberIn([1, 1e6]);
const seconds = numberIn([0.001, 1e9, 'fractions']);

const inner: v.GenericSchema<RateLimit> = v.lazy(() => RateLimitSchema);
const KINDS = ['none', 'token-bucket', 'fixed-window', 'at-once', 'all', 'changing'] as const;
const KIND_EXPECTED = `expected one of ${KINDS.join(', ')}`;

export const RateLimitSchema = v.variant(
  'kind',
  [
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
  ],
  KIND_EXPECTED,
);

/** @throws SettingError naming the place, such as `--limit.limits[1].requests`. */
export function parseRateLimit(given: unknown, setting: string): RateLimit {
  if (isJsonObject(given) && given['kind'] === undefined) {
    throw new SettingError(`${setting}.kind`, `${KIND_EXPECTED}, got nothing`);
  }
  return parseSetting(RateLimitSchema, given, setting);
}
