import type { RateLimitFacts } from '../customers-api/throttle-wait.ts';

/** A header with a longer wait than this is probably misread. */
const MAX_WAIT_SECONDS = 3_600;
/** Refilled requests that show that there is no fixed window: headers count whole ones. */
const REFILLED = 2;
/** And as a share of those that were sent: answers overtake each other. */
const REFILLED_SHARE = 0.2;
/** Over at least this long the rate is measured. */
const MEASURED_MS = 500;
/** A rate from less than this is chance. */
const LEAST_MEASURED_MS = 20;
/** What is refilled until an answer comes is not counted in full: the rate is measured to some percent. */
const COUNTED = 0.95;

interface Told {
  readonly remaining: number;
  /** About when the request arrived. */
  readonly atMs: number;
  /** Requests sent up to the one that this answers. */
  readonly sent: number;
}

/**
 * What RateLimit headers say: how many requests are left, and when there are more. A number of remaining requests
 * is a reading of the API's own meter, so the pace needs no throttle to follow it.
 */
export class StatedLimit {
  #sent = 0;
  #latest: Told | undefined;
  #from: Told | undefined;
  #resetAtMs = 0;
  #perSecond: number | undefined;
  #isCounting = false;

  /** While requests come back evenly; `undefined` for a window, and without headers. */
  get requestsPerSecond(): number | undefined {
    return this.#isCounting ? this.#perSecond : undefined;
  }

  /** @returns The number of this request, for {@link answered}. */
  send(): number {
    this.#sent++;
    return this.#sent;
  }

  answered(facts: RateLimitFacts | undefined, sent: number, sentAtMs: number, nowMs: number): void {
    if (facts === undefined || facts.resetSeconds > MAX_WAIT_SECONDS) return;
    const told = { remaining: facts.remaining, atMs: (sentAtMs + nowMs) / 2, sent };
    const before = this.#latest;
    if (before !== undefined && sent < before.sent) return;
    // Only a number that goes down counts requests.
    if (before !== undefined && told.remaining < before.remaining) this.#isCounting = true;
    this.#latest = told;
    const isOver = told.atMs >= this.#resetAtMs;
    if (this.#from === undefined || isOver) {
      this.#from = told;
      this.#resetAtMs = nowMs + facts.resetSeconds * 1000;
    }
    const passedMs = told.atMs - this.#from.atMs;
    const refilled = told.remaining - this.#from.remaining + (told.sent - this.#from.sent);
    const isRefilled =
      refilled >= Math.max(REFILLED, REFILLED_SHARE * (told.sent - this.#from.sent));
    const isMeasured = passedMs >= MEASURED_MS;
    // Answers within a millisecond, or a clock that was set back, measure nothing.
    if (passedMs < LEAST_MEASURED_MS) return;
    if (isRefilled && (isMeasured || this.#perSecond === undefined)) {
      this.#perSecond = (refilled / passedMs) * 1000;
    } else if (isMeasured && !isRefilled) this.#perSecond = undefined;
  }

  dueAtMs(nowMs: number): number {
    const told = this.#latest;
    if (told === undefined || !this.#isCounting) return nowMs;
    const perMs = (this.#perSecond ?? 0) / 1000;
    const refilled = Math.max(0, nowMs - told.atMs) * perMs * COUNTED;
    const left = told.remaining - (this.#sent - told.sent) + refilled;
    if (left >= 1) return nowMs;
    if (perMs > 0) return nowMs + (1 - left) / (perMs * COUNTED);
    return this.#resetAtMs;
  }
}
