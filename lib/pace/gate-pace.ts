import * as v from 'valibot';
import { defined } from '../defined.ts';
import type { LearnedPace } from './learned-pace.ts';
import type { Behind, Stretch } from './request-log.ts';
import type { MeterState, Stated } from './stated-meter.ts';

export interface GatePace {
  readonly v: 2;
  /** The kind of limit that explains the throttles; `none` when no pace would prevent them. */
  readonly limit: 'none' | 'bucket' | 'window' | 'at-once';
  /** The rate that the API sustains in the long run; absent for `none` and `at-once`. */
  readonly requestsPerSecond?: number;
  readonly learned: LearnedPace;
  /** Absent for an API that states no limit. */
  readonly stated?: Stated;
}

const timeMs = v.pipe(v.number(), v.finite());
const duration = v.pipe(v.number(), v.finite(), v.minValue(0));
const count = v.pipe(v.number(), v.integer(), v.minValue(0));
const positive = v.pipe(v.number(), v.finite(), v.gtValue(0));

const WindowSchema = v.object({
  kind: v.picklist(['window', 'clock', 'sliding']),
  requests: positive,
  periodMs: positive,
  laterMs: v.exactOptional(duration),
});

const LimitSchema = v.variant('kind', [
  v.object({ kind: v.literal('bucket'), perSecond: positive, burst: positive }),
  v.object({ ...WindowSchema.entries, tried: v.exactOptional(WindowSchema) }),
  v.object({
    kind: v.literal('at-once'),
    requests: positive,
    laterMs: v.exactOptional(duration),
  }),
]);

/**
 * A stretch as numbers, so that all of them stay below 4 KB: begin after that of the stretch before, length,
 * requests, most at once; and of its throttle: after the begin, again after the begin, tries, wait, at once.
 */
const StretchSchema = v.union([
  v.strictTuple([timeMs, duration, count, count]),
  v.tupleWithRest(
    [timeMs, duration, count, count, timeMs, timeMs, count, positive, count],
    duration,
  ),
]);

/** A stated limit as a list, as short as a stretch: in the order of {@link listOf}. */
const MeterSchema = v.strictTuple([
  v.string(),
  count,
  duration,
  duration,
  v.boolean(),
  duration,
  v.pipe(v.number(), v.finite()),
  timeMs,
  timeMs,
]);

const StatedSchema = v.object({
  meters: v.pipe(v.array(v.pipe(MeterSchema, v.transform(meterOf))), v.maxLength(10)),
  patienceMs: duration,
  heldMs: duration,
  heldFromMs: timeMs,
});

const GatePaceSchema = v.object({
  v: v.literal(2),
  limit: v.picklist(['none', 'bucket', 'window', 'at-once']),
  requestsPerSecond: v.exactOptional(positive),
  learned: v.object({
    log: v.pipe(v.array(StretchSchema), v.maxLength(100), v.transform(logOf)),
    limits: v.pipe(v.array(LimitSchema), v.maxLength(2)),
    shared: v.exactOptional(LimitSchema),
    line: v.object({ latencyMs: duration, jitterMs: duration }),
    blockedUntilMs: timeMs,
    calmMs: duration,
    trialAfterMs: positive,
    trial: v.exactOptional(v.object({ sent: duration, atMs: timeMs })),
  }),
  stated: v.exactOptional(StatedSchema),
});

const TextSchema = v.pipe(v.string(), v.parseJson(), GatePaceSchema);

export function gatePaceText({ learned, stated, ...pace }: GatePace): string {
  const { log, line, ...rest } = learned;
  const rounded = { latencyMs: Math.round(line.latencyMs), jitterMs: tenth(line.jitterMs) };
  const learnedText = { ...rest, line: rounded, log: numbersOf(log) };
  const statedText = stated && { ...stated, meters: stated.meters.map(listOf) };
  return JSON.stringify({ ...pace, learned: learnedText, ...defined({ stated: statedText }) });
}

/** `undefined` for the text of another version: a pace is advice, and is learned again. */
export function parseGatePace(text: unknown): GatePace | undefined {
  const parsed = v.safeParse(TextSchema, text);
  return parsed.success ? parsed.output : undefined;
}

function listOf(meter: MeterState): v.InferInput<typeof MeterSchema> {
  const { name, requests, windowMs, perMs, isShown, full, left, atMs, backAtMs } = meter;
  const rounded = [tenth(full), tenth(left), Math.round(atMs), Math.round(backAtMs)] as const;
  return [name, requests, windowMs, Number(perMs.toPrecision(5)), isShown, ...rounded];
}

function meterOf(list: v.InferOutput<typeof MeterSchema>): MeterState {
  const [name, requests, windowMs, perMs, isShown, full, left, atMs, backAtMs] = list;
  return { name, requests, windowMs, perMs, isShown, full, left, atMs, backAtMs };
}

function numbersOf(log: readonly Stretch[]): readonly (readonly number[])[] {
  return log.map(({ fromMs, toMs, requests, atOnce, throttle }, index) => {
    const afterMs = fromMs - (log[index - 1]?.fromMs ?? 0);
    const admitted = [Math.round(afterMs), Math.round(toMs - fromMs), requests, atOnce];
    if (throttle === undefined) return admitted;
    const { atMs, againMs, tries, waitSeconds } = throttle;
    const times = [Math.round(atMs - fromMs), Math.round(againMs - fromMs)];
    const behind = throttle.behind.flatMap((each) => [
      ...[each.admitted, each.throttled, Math.round(each.afterMs)],
    ]);
    return [...admitted, ...times, tries, waitSeconds, throttle.atOnce, ...behind];
  });
}

function logOf(stretches: v.InferOutput<typeof StretchSchema>[]): Stretch[] {
  let fromMs = 0;
  return stretches.map(([afterMs, lengthMs, requests, atOnce, ...throttle]) => {
    fromMs += afterMs;
    const admitted = { fromMs, toMs: fromMs + lengthMs, requests, atOnce };
    const [atMs, againMs, tries, waitSeconds, together, ...rest] = throttle;
    if (atMs === undefined || againMs === undefined || tries === undefined) return admitted;
    if (waitSeconds === undefined || together === undefined) return admitted;
    const times = { atMs: fromMs + atMs, againMs: fromMs + againMs };
    return {
      ...admitted,
      throttle: { ...times, tries, waitSeconds, atOnce: together, behind: behindOf(rest) },
    };
  });
}

function behindOf([admitted, throttled, afterMs, ...rest]: readonly number[]): readonly Behind[] {
  if (admitted === undefined || throttled === undefined || afterMs === undefined) return [];
  return [{ admitted, throttled, afterMs }, ...behindOf(rest)];
}

function tenth(value: number): number {
  return Math.round(value * 10) / 10;
}
