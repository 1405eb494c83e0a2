import { type Line, type Meter, OVERTAKEN_JITTERS, type Windowed, windowEndMs } from './limit.ts';
import { passedBehind, type RequestLog, type Throttle } from './request-log.ts';

/** How high a meter stood. A limit with this meter has its mark between the admitted and the throttled requests. */
export interface Reading {
  /** With the admitted request that met it highest: the mark is not lower. */
  highest: number;
  /** With each throttled request, had it been admitted: the mark is lower. */
  readonly throttled: ThrottledAt[];
}

interface ThrottledAt {
  readonly level: number;
  /** Until the meter would have been low enough. */
  readonly restSeconds: number;
  /** Requests since the throttle before that met about the same level and were admitted: they speak against it. */
  readonly near: number;
  /** Of those behind it, the requests that this meter would admit. */
  readonly passed: number;
}

/** Of those behind a throttle, where `perMs` more are admitted, and `most` at once. */
function passed({ behind }: Throttle, perMs: number, most: number): number {
  let free = 0;
  let before = 0;
  let sum = 0;
  for (const { admitted, throttled, afterMs } of behind) {
    free = Math.min(most, free + (afterMs - before) * perMs);
    before = afterMs;
    const part = Math.min(admitted + throttled, free);
    free -= part;
    sum += part;
  }
  return sum;
}

/** @param slack Levels that differ by no more are about the same. */
export function readMeter(meter: Meter, log: RequestLog, line: Line, slack: number): Reading {
  switch (meter.kind) {
    case 'bucket':
      return readBucket(meter.perSecond, log, slack).reading;
    case 'sliding':
      return readSliding(meter.periodMs, log, OVERTAKEN_JITTERS * line.jitterMs);
    case 'at-once':
      return readAtOnce(log, line, slack);
    default:
      return readWindows(meter, log, line).reading;
  }
}

/** Of each stretch the level at its begin and its end: memory that is used again. */
const LEVELS = new Float64Array(256);

export function readBucket(perSecond: number, log: RequestLog, slack: number) {
  const perMs = perSecond / 1000;
  const reading: Reading = { highest: 0, throttled: [] };
  let level = 0;
  let atMs = log[0]?.fromMs ?? 0;
  let firstSince = 0;
  for (const [index, { fromMs, toMs, requests, throttle }] of log.entries()) {
    if (requests > 0) {
      const begin = Math.max(0, level - Math.max(0, fromMs - atMs) * perMs) + 1;
      // Evenly spaced requests fill the bucket by the same amount each, or find it empty again.
      const end = begin + requests - 1 - (toMs - fromMs) * perMs;
      level = Math.max(requests > 1 ? 1 : begin, end);
      LEVELS[index * 2] = begin;
      LEVELS[index * 2 + 1] = level;
      reading.highest = Math.max(reading.highest, begin, level);
      atMs = toMs;
    }
    if (throttle === undefined) continue;
    // Below empty it tells by how much the throttle came too late for this rate.
    const mark = level - Math.max(0, throttle.againMs - atMs) * perMs + 1;
    const near = nearMark(log, firstSince, index, mark - slack);
    reading.throttled.push({
      ...{ level: mark, restSeconds: 1 / perSecond, near },
      passed: passed(throttle, perMs, Number.POSITIVE_INFINITY),
    });
    level += passedBehind(throttle);
    firstSince = index + 1;
  }
  return { reading, level, atMs };
}

function nearMark(log: RequestLog, first: number, last: number, from: number): number {
  let near = 0;
  for (let index = first; index <= last; index++) {
    const requests = log[index]?.requests ?? 0;
    const begin = LEVELS[index * 2] ?? 0;
    const end = LEVELS[index * 2 + 1] ?? 0;
    const high = Math.max(begin, end);
    const low = Math.min(begin, end);
    if (requests === 0 || high <= from) continue;
    near += low > from ? requests : (requests * (high - from)) / (high - low);
  }
  return near;
}

/** Also tells when the window ends that holds the latest request, and what is used of it. */
export function readWindows(
  meter: Extract<Windowed, { kind: 'window' | 'clock' }>,
  log: RequestLog,
  line: Line,
) {
  const reading: Reading = { highest: 0, throttled: [] };
  let endMs = Number.NEGATIVE_INFINITY;
  let used = 0;
  for (const { fromMs, toMs, requests, throttle } of log) {
    const stepMs = requests > 1 ? (toMs - fromMs) / (requests - 1) : 0;
    for (let left = requests, atMs = fromMs; left > 0; ) {
      if (atMs >= endMs) {
        endMs = windowEndMs(meter, atMs, line);
        used = 0;
      }
      const inWindow = stepMs === 0 ? left : Math.max(1, Math.ceil((endMs - atMs) / stepMs));
      const fitting = Math.min(left, inWindow);
      used += fitting;
      left -= fitting;
      atMs += fitting * stepMs;
      reading.highest = Math.max(reading.highest, used);
    }
    if (throttle === undefined) continue;
    const isOver = throttle.againMs >= endMs;
    const restSeconds = isOver ? 0 : (endMs - throttle.againMs) / 1000;
    const next = throttle.behind.filter(({ afterMs }) => afterMs > restSeconds * 1000);
    reading.throttled.push({
      ...{ level: isOver ? 1 : used + 1, restSeconds, near: 0 },
      passed: next.reduce((sum, each) => sum + each.admitted + each.throttled, 0),
    });
    used += passedBehind(throttle);
  }
  return { reading, endMs, used };
}

/** @param offMs A request may have arrived as much earlier or later against another one. */
function readSliding(periodMs: number, log: RequestLog, offMs: number): Reading {
  const reading: Reading = { highest: 0, throttled: [] };
  for (const [index, { toMs, requests, throttle }] of log.entries()) {
    if (requests > 0) {
      const { count } = countSince(log, index, toMs - periodMs + offMs);
      reading.highest = Math.max(reading.highest, count);
    }
    if (throttle === undefined) continue;
    const { count, oldestMs } = countSince(log, index, throttle.againMs - periodMs - offMs);
    const restMs = count === 0 ? 0 : oldestMs + periodMs - throttle.againMs;
    const lastsMs = throttle.behind.at(-1)?.afterMs ?? 0;
    const fewer = count - countSince(log, index, throttle.againMs - periodMs + lastsMs).count;
    reading.throttled.push({
      ...{ level: count + 1, restSeconds: restMs / 1000, near: 0 },
      passed: passed(throttle, fewer / Math.max(1, lastsMs), Number.POSITIVE_INFINITY),
    });
  }
  return reading;
}

/** Requests that were admitted after `sinceMs`, up to the stretch at `last`. */
export function countSince(log: RequestLog, last: number, sinceMs: number) {
  let count = 0;
  let oldestMs = 0;
  for (let index = last; index >= 0; index--) {
    const stretch = log[index];
    if (stretch === undefined) break;
    const { fromMs, toMs, requests, throttle } = stretch;
    if (throttle !== undefined && index < last) {
      for (const { admitted, afterMs } of throttle.behind) {
        if (throttle.againMs + afterMs > sinceMs) count += admitted;
      }
    }
    if (requests === 0) continue;
    if (toMs <= sinceMs) break;
    const stepMs = (toMs - fromMs) / Math.max(1, requests - 1);
    const before =
      fromMs > sinceMs ? 0 : Math.floor((sinceMs - fromMs) / Math.max(1e-6, stepMs)) + 1;
    count += requests - before;
    oldestMs = fromMs + before * stepMs;
  }
  return { count, oldestMs };
}

/** The API takes at least as much of the latency: what was sent within it ran there together. */
const SERVED = 0.3;

function readAtOnce(log: RequestLog, { latencyMs }: Line, slack: number): Reading {
  const reading: Reading = { highest: 0, throttled: [] };
  let firstSince = 0;
  for (const [index, { fromMs, toMs, requests, atOnce, throttle }] of log.entries()) {
    const over = log.findIndex((each, at) => at >= index && each.throttle !== undefined);
    // What began a latency before a throttle was not counted in full when it came.
    const isKept =
      (log[over]?.throttle?.atMs ?? Number.POSITIVE_INFINITY) -
        (requests > atOnce ? fromMs : toMs) >
      latencyMs * 0.9;
    const met = isKept ? atOnce : countSince(log, index, toMs - latencyMs * SERVED).count;
    reading.highest = Math.max(reading.highest, met);
    if (throttle === undefined) continue;
    const from = throttle.atOnce - slack;
    // In a stretch each request may just have added one to those that ran.
    const near = log.slice(firstSince, index + 1).reduce((sum, each) => {
      const most = Math.max(each.requests, each.atOnce);
      return sum + (each.atOnce > from ? Math.min(each.requests, most - from) : 0);
    }, 0);
    reading.throttled.push({
      ...{ level: throttle.atOnce, restSeconds: 0.5, near },
      passed: passed(throttle, reading.highest / Math.max(1, latencyMs), reading.highest),
    });
    firstSince = index + 1;
  }
  return reading;
}
