import type { Answered, Pacer } from './pacer.ts';

/**
 * How late a request may be without moving those that follow: timers fire a millisecond or so late, which
 * would add up to a slower pace.
 */
const TIMER_SLACK_MS = 5;

/**
 * The pace of a rate that is set. Spaces requests `1 / requestsPerSecond` apart, without bursts: among APIs that refill a bucket it is
 * the one schedule that suits every size of bucket.
 */
export class SetPace implements Pacer {
  readonly requestsPerSecond: number;
  readonly #intervalMs: number;
  #lastAtMs: number;

  /**
   * @param lastAtMs When the latest request was due, also of an earlier step.
   */
  constructor(requestsPerSecond: number, lastAtMs: number) {
    this.requestsPerSecond = requestsPerSecond;
    this.#intervalMs = 1000 / requestsPerSecond;
    this.#lastAtMs = lastAtMs;
  }

  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  nextAtMs(nowMs: number): number {
    return Math.max(nowMs, this.#lastAtMs + this.#intervalMs);
  }

  burstAtMs(): undefined {
    return undefined;
  }

  sent(nowMs: number): (answered: Answered) => void {
    const dueAtMs = this.#lastAtMs + this.#intervalMs;
    this.#lastAtMs = nowMs <= dueAtMs + TIMER_SLACK_MS ? dueAtMs : nowMs;
    return () => undefined;
  }
}
