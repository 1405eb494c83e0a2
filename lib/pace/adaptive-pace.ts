import type { RateLimitFacts } from '../customers-api/throttle-wait.ts';
import { defined } from '../defined.ts';
import type { GatePace } from './gate-pace.ts';
import {
  type LearnedPace,
  learnAdmitted,
  learnSpent,
  learnThrottled,
  NOTHING_LEARNED,
} from './learned-pace.ts';
import { limitOf, type PaceLimit, sustainedPerSecond } from './pace-limit.ts';
import type { Answered, Pacer } from './pacer.ts';
import { probeAt } from './probe.ts';

/**
 * A request that is late by at most this much does not delay the next ones: timers fire about a millisecond
 * late, and the delays would add up to a slower pace.
 */
const TIMER_SLACK_MS = 5;
const CLOCK_STEP_MS = 1;

/** A throttle without a stated wait shows nothing about the length of a window. */
const UNTOLD_WAIT_SECONDS = 1;

/** A header with a longer wait than this is probably misread. */
const MAX_HEADER_WAIT_SECONDS = 3_600;

/** A request may overtake one that was sent up to this much earlier: the jitter of a good network. */
const OVERTAKEN_MS = 20;

/** How soon to ask again when an answer decides whether another request may be sent. */
const LOOK_AGAIN_MS = 100;

/** Fewer requests at once are not worth a separate step. */
const MIN_BURST = 5;

type BucketLimit = Extract<PaceLimit, { kind: 'bucket' }>;

interface Sent {
  readonly atMs: number;
  answered?: Answered;
}

/**
 * Sends requests at the highest rate that the API is known to sustain, and learns this rate from every answer.
 */
export class AdaptivePace implements Pacer {
  #learned: LearnedPace;
  #limit: PaceLimit;
  /** In the order of sending, which is also the order of learning. */
  readonly #sent: Sent[] = [];
  /** Requests that the bucket had not refilled at `#levelAtMs`. */
  #level = 0;
  #levelAtMs = 0;
  #lastAtMs: number;
  #remaining = 0;

  /** @param lastAtMs When the latest request was sent, also by an earlier step. */
  constructor(known: GatePace | undefined, lastAtMs: number) {
    this.#learned = known?.learned ?? NOTHING_LEARNED;
    this.#limit = limitOf(this.#learned);
    this.#lastAtMs = lastAtMs;
    if (this.#limit.kind === 'bucket') {
      this.#level = this.#limit.level;
      this.#levelAtMs = this.#limit.atMs;
    }
  }

  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  get requestsPerSecond(): number | undefined {
    return this.#limit.kind === 'bucket' ? this.#limit.requestsPerSecond : undefined;
  }

  /** The pace for the gate; `undefined` until the first throttle. */
  get known(): GatePace | undefined {
    if (this.#learned.blockedUntilMs === 0) return undefined;
    const requestsPerSecond = sustainedPerSecond(this.#limit);
    return {
      v: 1,
      limit: this.#limit.kind,
      ...defined({ requestsPerSecond }),
      learned: this.#learned,
    };
  }

  nextAtMs(nowMs: number): number {
    const atMs = Math.max(nowMs, this.#dueAtMs(nowMs));
    const { blockedUntilMs } = this.#learned;
    // A wait further ahead was stored before the clock was set back.
    const isPlausible = blockedUntilMs - nowMs <= MAX_HEADER_WAIT_SECONDS * 1000;
    return isPlausible ? Math.max(atMs, blockedUntilMs) : atMs;
  }

  burstAtMs(nowMs: number): number | undefined {
    const limit = this.#limit;
    if (limit.kind === 'window')
      return limit.requests < MIN_BURST ? undefined : this.nextAtMs(nowMs);
    if (limit.kind === 'none' || limit.burst < MIN_BURST) return undefined;
    const level = this.#levelAt(nowMs, limit);
    const refilledAtMs = nowMs + (Math.max(0, level) / limit.requestsPerSecond) * 1000;
    return Math.max(refilledAtMs, this.nextAtMs(nowMs));
  }

  sent(nowMs: number): (answered: Answered) => void {
    if (this.#limit.kind === 'bucket') {
      this.#level = this.#levelAt(nowMs, this.#limit) + 1;
    }
    this.#levelAtMs = nowMs;
    this.#lastAtMs = nowMs;
    const sent: Sent = { atMs: nowMs };
    this.#sent.push(sent);
    return (answered) => {
      sent.answered = answered;
      this.#learnInOrder();
    };
  }

  spentElsewhere(count: number, atMs: number): void {
    if (this.#limit.kind === 'bucket') {
      this.#level = this.#levelAt(atMs, this.#limit) + count;
      this.#levelAtMs = Math.max(atMs, this.#levelAtMs);
    }
    this.#learned = learnSpent(this.#learned, count, atMs);
    this.#limit = limitOf(this.#learned);
  }

  #dueAtMs(nowMs: number): number {
    const limit = this.#limit;
    switch (limit.kind) {
      case 'none':
        return nowMs;
      case 'bucket': {
        const excess = this.#levelAt(nowMs, limit) + 1 - limit.burst;
        return nowMs + (excess / limit.requestsPerSecond) * 1000;
      }
      case 'window': {
        const { fromMs, endMs, requests, moreUnderWay } = limit;
        const underWay = this.#sent.length;
        if (nowMs < fromMs || nowMs >= endMs) {
          // The first answer shows whether the next window has begun.
          const isEnough = underWay >= (limit.isEndTried ? 1 : requests);
          return isEnough ? nowMs + LOOK_AGAIN_MS : nowMs;
        }
        if (limit.used + underWay < requests) return nowMs;
        return limit.used >= requests && underWay < moreUnderWay ? nowMs : endMs;
      }
    }
  }

  #levelAt(nowMs: number, { requestsPerSecond, isTight }: BucketLimit): number {
    const perMs = requestsPerSecond / 1000;
    const passedMs = Math.max(0, nowMs - this.#levelAtMs);
    // Without a burst, a request after a late one may be early by one clock step at most.
    const slackMs = isTight ? CLOCK_STEP_MS : TIMER_SLACK_MS;
    return Math.max(-Math.min(0.5, slackMs * perMs), this.#level - passedMs * perMs);
  }

  #learnInOrder(): void {
    const before = this.#learned;
    for (;;) {
      const [first] = this.#sent;
      if (first?.answered === undefined) break;
      this.#sent.shift();
      this.#learnOvertaking(first);
      this.#learn(first.atMs, first.answered);
    }
    if (this.#learned === before) return;
    if (this.#limit.kind === 'bucket') {
      const probe = probeAt(this.#learned, this.#lastAtMs, this.#limit.requestsPerSecond);
      this.#learned = { ...this.#learned, probe };
    }
    this.#limit = limitOf(this.#learned);
  }

  /**
   * A request that was sent after a throttled one but answered before it has overtaken it: it caused the
   * throttle.
   */
  #learnOvertaking({ atMs, answered }: Sent): void {
    if (answered?.kind !== 'throttled') return;
    for (const sent of this.#sent.filter((each) => each.atMs <= atMs + OVERTAKEN_MS)) {
      if (sent.answered?.kind !== 'admitted' || sent.answered.atMs >= answered.atMs) continue;
      this.#sent.splice(this.#sent.indexOf(sent), 1);
      this.#learn(atMs, sent.answered);
    }
  }

  #learn(sentAtMs: number, answered: Answered): void {
    if (answered.kind === 'other') return;
    if (answered.kind === 'throttled') {
      const { waitSeconds = UNTOLD_WAIT_SECONDS, atMs } = answered;
      this.#learned = learnThrottled(this.#learned, sentAtMs, waitSeconds, atMs);
      return;
    }
    this.#learned = learnAdmitted(this.#learned, sentAtMs);
    const { rateLimit, atMs } = answered;
    // The next request would be throttled, so learn it as a throttle.
    if (rateLimit !== undefined && this.#isUsedUp(rateLimit)) {
      this.#learned = learnThrottled(this.#learned, sentAtMs, rateLimit.resetSeconds, atMs);
    }
  }

  /** Only a number that has decreased counts the remaining requests. */
  #isUsedUp({ remaining, resetSeconds }: RateLimitFacts): boolean {
    const wentDown = this.#remaining > 0;
    this.#remaining = remaining;
    return remaining === 0 && wentDown && resetSeconds <= MAX_HEADER_WAIT_SECONDS;
  }
}
