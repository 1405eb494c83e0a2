/**
 * How late a request may be without moving those that follow: timers fire a millisecond or so late, which
 * would add up to a slower pace.
 */
const TIMER_SLACK_MS = 5;

/**
 * Spaces requests `1 / requestsPerSecond` apart, without bursts: among APIs that refill a bucket it is
 * the one schedule that suits every size of bucket.
 */
export class Pace {
  readonly #intervalMs: number;
  #lastAtMs: number;

  /**
   * @param requestsPerSecond `undefined` for no pace.
   * @param lastAtMs When the latest request was due, also of an earlier step.
   */
  constructor(requestsPerSecond: number | undefined, lastAtMs: number) {
    this.#intervalMs = requestsPerSecond === undefined ? 0 : 1000 / requestsPerSecond;
    this.#lastAtMs = lastAtMs;
  }

  /** When the latest request was due; milliseconds since the epoch. */
  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  /** When the next request is due, never before `nowMs`. */
  nextAtMs(nowMs: number): number {
    return Math.max(nowMs, this.#lastAtMs + this.#intervalMs);
  }

  /** Notes a request that is sent now. */
  sent(nowMs: number): void {
    const dueAtMs = this.#lastAtMs + this.#intervalMs;
    this.#lastAtMs = nowMs <= dueAtMs + TIMER_SLACK_MS ? dueAtMs : nowMs;
  }
}
