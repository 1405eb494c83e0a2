import type { Pacer, SentRequest } from './pacer.ts';
import { limitFor, type PlainLimit } from './plain-limit.ts';

/**
 * A request that is late by at most this much does not delay the next ones: timers fire about a millisecond
 * late, and the delays would add up to a slower pace.
 */
const TIMER_SLACK_MS = 5;

/** On a connection that is there a request leaves sooner; and how soon to look again whether others have left. */
const LEAVES_WITHIN_MS = 5;

/**
 * The pace for a set rate: spaces requests `1 / requestsPerSecond` apart, without bursts. For an API with a
 * token bucket, this schedule fits every size of bucket.
 */
export class SetPace implements Pacer {
  readonly requestsPerSecond: number;
  readonly #intervalMs: number;
  #lastAtMs: number;
  /** Those that have not left yet, as they were counted; how many have, and the most of these. */
  readonly #waiting = new Set<{ readonly atMs: number }>();
  #running = 0;
  #connections = 0;

  /** @param lastAtMs When the latest request was due, also of an earlier step. */
  constructor(requestsPerSecond: number, lastAtMs: number) {
    this.requestsPerSecond = requestsPerSecond;
    this.#intervalMs = 1000 / requestsPerSecond;
    this.#lastAtMs = lastAtMs;
  }

  get limit(): PlainLimit | undefined {
    return limitFor(this.requestsPerSecond, undefined);
  }

  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  nextAtMs(nowMs: number): number {
    const dueAtMs = Math.max(nowMs, this.#lastAtMs + this.#intervalMs);
    // Those that wait leave as far apart as they were counted: what has a connection would come between them.
    const [oldest = { atMs: nowMs }] = this.#waiting;
    const isConnecting = nowMs - oldest.atMs > LEAVES_WITHIN_MS;
    const isBetween = isConnecting && this.#running < this.#connections;
    return isBetween ? Math.max(dueAtMs, nowMs + LEAVES_WITHIN_MS) : dueAtMs;
  }

  burstAtMs(): undefined {
    return undefined;
  }

  sent(nowMs: number): SentRequest {
    const dueAtMs = this.#lastAtMs + this.#intervalMs;
    this.#lastAtMs = nowMs <= dueAtMs + TIMER_SLACK_MS ? dueAtMs : nowMs;
    const sent = { atMs: nowMs };
    this.#waiting.add(sent);
    return {
      left: () => {
        if (!this.#waiting.delete(sent)) return;
        this.#connections = Math.max(this.#connections, ++this.#running);
      },
      answered: () => {
        if (!this.#waiting.delete(sent)) this.#running--;
      },
    };
  }

  /**
   * Callers that share a set rate take places, and those keep it. To wait for what others spent once more would starve
   * an export: each of their requests would put off its next page.
   */
  spentElsewhere(): void {}

  throttledElsewhere(): void {}
}
