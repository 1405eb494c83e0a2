import * as v from 'valibot';
import type { LearnedPace } from './learned-pace.ts';

export interface GatePace {
  readonly v: 1;
  /** The kind of limit that explains the throttles; `none` when no pace would prevent them. */
  readonly limit: 'none' | 'bucket' | 'window';
  /** The rate that the API sustains in the long run; absent for `none`. */
  readonly requestsPerSecond?: number;
  readonly learned: LearnedPace;
}

const timeMs = v.pipe(v.number(), v.finite());
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));

const LearnedSchema = v.object({
  stretches: v.pipe(
    v.array(
      v.object({
        fromMs: timeMs,
        toMs: timeMs,
        requests: count,
        throttle: v.exactOptional(v.object({ atMs: timeMs, waitSeconds: positive })),
      }),
    ),
    v.maxLength(100),
  ),
  bucket: v.optional(
    v.object({
      perSecond: positive,
      burst: positive,
      isCertain: v.boolean(),
      isSettled: v.boolean(),
      misfits: count,
    }),
  ),
  window: v.optional(
    v.object({
      requests: positive,
      periodMs: positive,
      hits: count,
      closedMs: v.optional(v.number()),
      grown: v.optional(count),
      same: v.optional(count),
      misses: count,
    }),
  ),
  isWindow: v.optional(v.boolean()),
  use: v.optional(v.object({ fromMs: timeMs, used: count, untilMs: v.optional(timeMs) })),
  bestPerSecond: v.optional(v.number()),
  unpaced: v.optional(count),
  blockedUntilMs: timeMs,
  calm: count,
  hold: count,
  probe: v.optional(
    v.object({ fromMs: timeMs, perSecond: positive, firstPerSecond: positive, calm: count }),
  ),
});

const GatePaceSchema = v.object({
  v: v.literal(1),
  limit: v.picklist(['none', 'bucket', 'window']),
  requestsPerSecond: v.exactOptional(positive),
  learned: LearnedSchema,
});

const TextSchema = v.pipe(v.string(), v.parseJson(), GatePaceSchema);

export function gatePaceText(pace: GatePace): string {
  return JSON.stringify(pace);
}

/** `undefined` for the text of another version: a pace is advice, and is learned again. */
export function parseGatePace(text: unknown): GatePace | undefined {
  const parsed = v.safeParse(TextSchema, text);
  return parsed.success ? parsed.output : undefined;
}
