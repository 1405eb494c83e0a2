import type { Answered, Pacer } from '../../lib/pace/pacer.ts';
import type { PlainLimit } from '../../lib/pace/plain-limit.ts';

/** Keeps a limit that it knows, and learns nothing. */
export class KnownPace implements Pacer {
  lastAtMs = 0;
  readonly limit: PlainLimit;
  #fullAtMs = 0;
  #window = { fromMs: Number.NEGATIVE_INFINITY, used: 0 };

  constructor(limit: PlainLimit) {
    this.limit = limit;
  }

  get requestsPerSecond(): number | undefined {
    return this.limit.kind === 'bucket' ? this.limit.requestsPerSecond : undefined;
  }

  nextAtMs(nowMs: number): number {
    if (this.limit.kind === 'bucket') {
      const burstMs = ((this.limit.burst - 1) * 1000) / this.limit.requestsPerSecond;
      return Math.max(nowMs, this.#fullAtMs - burstMs);
    }
    const endMs = this.#window.fromMs + this.limit.periodMs;
    return nowMs >= endMs || this.#window.used < this.limit.requests ? nowMs : endMs;
  }

  burstAtMs(nowMs: number): number | undefined {
    return this.limit.kind === 'window' ? this.nextAtMs(nowMs) : undefined;
  }

  sent(nowMs: number): (answered: Answered) => void {
    this.lastAtMs = nowMs;
    this.spentElsewhere(1, nowMs);
    return () => undefined;
  }

  spentElsewhere(count: number, atMs: number): void {
    if (this.limit.kind === 'bucket') {
      const spentMs = (count * 1000) / this.limit.requestsPerSecond;
      this.#fullAtMs = Math.max(this.#fullAtMs, atMs) + spentMs;
      return;
    }
    if (atMs >= this.#window.fromMs + this.limit.periodMs) this.#window = { fromMs: atMs, used: 0 };
    this.#window.used += count;
  }
}
