import {
  type Limit,
  type Line,
  LOOK_AGAIN_MS,
  OVERTAKEN_JITTERS,
  type Windowed,
  type WindowLimit,
  windowEndMs,
} from './limit.ts';
import { readBucket, readWindows } from './meter.ts';
import type { RequestLog } from './request-log.ts';

/** Keeps one limit: counts what is sent, and says when the next request is due. */
export interface LimitGauge {
  readonly limit: Limit;
  /** Whether the latest request tried another limit: its answer shows which one is likely. */
  readonly isTry?: boolean;
  spend(atMs: number): void;
  /** A request is counted that is spent when it leaves. @default until then it is one of those that wait */
  wait?(atMs: number): void;
  /**
   * @param underWay Requests without an answer.
   * @param waiting Those of them that are spent when they leave.
   */
  dueAtMs(nowMs: number, underWay: number, waiting?: number): number;
}

/**
 * A request that is late by at most this much does not delay the next ones: timers fire about a millisecond
 * late, and the delays would add up to a slower pace.
 */
const TIMER_SLACK_MS = 3;
/** A stretch of the log that is as long was not sent evenly. */
const SHORT_MS = 100;
/** A window is open a little later than it seems, so that no request arrives before. */
const OPEN_LATER_MS = 2;
/** Of a sliding period: the log tells when requests were sent to about that. */
const SLIDES_LATER = 0.01;
/** A throttle asks for a second at least. */
const LEAST_WAIT_MS = 1_000;

/** Requests at the same time are sent faster than they are answered by so much, the first ones together. */
const SPREAD = 1.25;
const SPREAD_BURST = 2;

/** A gauge that has counted what is in the log. */
export function gaugeOf(limit: Limit, log: RequestLog, line: Line): LimitGauge {
  switch (limit.kind) {
    case 'bucket':
      return new BucketGauge(limit, log);
    case 'sliding':
      return new SlidingGauge(limit, log, line);
    case 'at-once':
      return new AtOnceGauge(limit, line);
    default:
      return new WindowGauge({ ...limit, kind: limit.kind }, log, line);
  }
}

/** Room is kept in a burst for requests that wait for their connections: in a smaller one they would be made one by one. */
const LEAST_WITH_ROOM = 3;

class BucketGauge implements LimitGauge {
  readonly limit: Extract<Limit, { kind: 'bucket' }>;
  readonly #perMs: number;
  readonly #slack: number;
  /** As requests left. */
  #left: Level;
  /** As they were counted: those that wait for their connections leave in the same distances. */
  #counted: Level;

  constructor(limit: Extract<Limit, { kind: 'bucket' }>, log: RequestLog) {
    this.limit = limit;
    this.#perMs = limit.perSecond / 1000;
    this.#slack = Math.min(0.5, TIMER_SLACK_MS * this.#perMs, Math.max(0, limit.burst - 1));
    this.#left = readBucket(limit.perSecond, log, 0);
    this.#counted = this.#left;
  }

  spend(atMs: number): void {
    this.#left = this.#filled(this.#left, atMs);
  }

  wait(atMs: number): void {
    this.#counted = this.#filled(this.#counted, atMs);
  }

  dueAtMs(nowMs: number, _underWay: number, waiting = 0): number {
    const { burst } = this.limit;
    const room = burst >= LEAST_WITH_ROOM ? waiting : 0;
    const level = Math.max(
      this.#levelAt(this.#left, nowMs) + room,
      this.#levelAt(this.#counted, nowMs),
    );
    return nowMs + Math.max(0, (level + 1 - burst) / this.#perMs);
  }

  #filled(before: Level, atMs: number): Level {
    return { level: this.#levelAt(before, atMs) + 1, atMs: Math.max(atMs, before.atMs) };
  }

  #levelAt({ level, atMs }: Level, nowMs: number): number {
    const passedMs = Math.max(0, nowMs - atMs);
    return Math.max(-this.#slack, level - passedMs * this.#perMs);
  }
}

/** How full a bucket was. */
interface Level {
  readonly level: number;
  readonly atMs: number;
}

type AtOnceLimit = Extract<Limit, { kind: 'at-once' }>;

/** Spreads them over a latency: what looks like it may be a bucket, which would throttle all that come together. */
class AtOnceGauge implements LimitGauge {
  readonly limit: AtOnceLimit;
  readonly #spread: BucketGauge;
  #isFull = false;
  #openAtMs = 0;

  constructor(limit: AtOnceLimit, { latencyMs }: Line) {
    this.limit = limit;
    const perSecond = (SPREAD * limit.requests * 1000) / Math.max(1, latencyMs);
    this.#spread = new BucketGauge({ kind: 'bucket', perSecond, burst: SPREAD_BURST }, []);
  }

  spend(atMs: number): void {
    this.#spread.spend(atMs);
  }

  dueAtMs(nowMs: number, underWay: number, waiting = 0): number {
    const { requests, laterMs = 0 } = this.limit;
    const isFull = underWay >= requests;
    if (this.#isFull && !isFull) this.#openAtMs = nowMs + laterMs;
    this.#isFull = isFull;
    if (isFull) return nowMs + LOOK_AGAIN_MS;
    return Math.max(this.#openAtMs, this.#spread.dueAtMs(nowMs, underWay, waiting));
  }
}

type FixedLimit = Extract<WindowLimit, { kind: 'window' | 'clock' }>;

class WindowGauge implements LimitGauge {
  readonly limit: FixedLimit;
  readonly #line: Line;
  #endMs: number;
  #used: number;

  constructor(limit: FixedLimit, log: RequestLog, line: Line) {
    this.limit = limit;
    this.#line = line;
    const { endMs, used } = readWindows(limit, log, line);
    this.#endMs = endMs;
    this.#used = used;
  }

  spend(atMs: number): void {
    if (atMs >= this.#endMs) {
      this.#endMs = windowEndMs(this.limit, atMs, this.#line);
      this.#used = 0;
    }
    this.#used++;
  }

  dueAtMs(nowMs: number, _underWay: number, waiting = 0): number {
    const { kind, requests } = this.limit;
    const { latencyMs, jitterMs } = this.#line;
    // A latency that holds a queue seems longer than the way: who comes too late by the clock is so only once.
    const wayMs = kind === 'clock' ? latencyMs / 2 : 0;
    const openMs = this.#endMs + wayMs + jitterMs + OPEN_LATER_MS;
    if (nowMs < this.#endMs) return this.#used + waiting < requests ? nowMs : openMs;
    // The next window begins with the first of those that wait.
    if (waiting >= requests) return nowMs + LOOK_AGAIN_MS;
    return Math.max(nowMs, openMs);
  }
}

type SlidingLimit = Extract<Limit, Windowed>;

class SlidingGauge implements LimitGauge {
  readonly limit: SlidingLimit;
  isTry = false;
  readonly #line: Line;
  readonly #tried: LimitGauge | undefined;
  /** By so much the other one has to be open before. */
  readonly #earlierMs: number;
  /** Of the latest requests, as many as the window has at least. */
  #sentAtMs: number[] = [];

  constructor(limit: SlidingLimit, log: RequestLog, line: Line) {
    this.limit = limit;
    this.#line = line;
    this.#tried = limit.tried && gaugeOf(limit.tried, [], line);
    this.#earlierMs = Math.max(LEAST_WAIT_MS, 2 * SLIDES_LATER * limit.periodMs);
    for (const { fromMs, toMs, requests, throttle } of log) {
      const stepMs = requests > 1 ? (toMs - fromMs) / (requests - 1) : 0;
      // The log does not tell where in a short stretch they were.
      const isShort = toMs - fromMs < SHORT_MS;
      for (let each = 0; each < requests; each++)
        this.spend(isShort ? toMs : fromMs + each * stepMs);
      for (const { admitted, afterMs } of throttle?.behind ?? []) {
        for (let each = 0; each < admitted; each++) this.spend((throttle?.againMs ?? 0) + afterMs);
      }
    }
  }

  spend(atMs: number): void {
    this.isTry = this.#openMs(0) > atMs + this.#earlierMs;
    this.#tried?.spend(atMs);
    const { requests } = this.limit;
    this.#sentAtMs.push(atMs);
    if (this.#sentAtMs.length > 2 * requests) this.#sentAtMs = this.#sentAtMs.slice(-requests);
  }

  dueAtMs(nowMs: number, underWay: number, waiting = 0): number {
    const openMs = Math.max(nowMs, this.#openMs(waiting));
    const triedMs = this.#tried?.dueAtMs(nowMs, underWay, waiting) ?? openMs;
    if (openMs <= triedMs + this.#earlierMs) return openMs;
    return underWay > 0 ? Math.max(triedMs, nowMs + LOOK_AGAIN_MS) : triedMs;
  }

  #openMs(waiting: number): number {
    const { requests, periodMs } = this.limit;
    const sentAtMs = this.#sentAtMs.at(Math.min(-1, waiting - requests));
    if (sentAtMs === undefined) return Number.NEGATIVE_INFINITY;
    return sentAtMs + (1 + SLIDES_LATER) * periodMs + OVERTAKEN_JITTERS * this.#line.jitterMs;
  }
}
