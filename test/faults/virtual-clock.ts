interface Timer {
  readonly atMs: number;
  readonly order: number;
  readonly run: () => void;
}

/** Time that stands still until it is moved to the next timer. */
export class VirtualClock {
  #nowMs: number;
  #order = 0;
  readonly #timers = new Set<Timer>();

  constructor(nowMs = Date.UTC(2026, 0, 1)) {
    this.#nowMs = nowMs;
  }

  now(): number {
    return this.#nowMs;
  }

  /** Runs `run` at that time, or at once when it has passed. Gives a function that takes it back. */
  at(atMs: number, run: () => void): () => void {
    // Whole milliseconds, as the clock of a machine tells them.
    const wholeMs = Math.ceil(Math.max(atMs, this.#nowMs));
    const timer = { atMs: wholeMs, order: this.#order++, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#nowMs + ms, resolve));
  }

  /** Resolves after `ms` or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.at(this.#nowMs + ms, resolve);
      signal.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
  }

  /** Moves to the next timer and runs it; `false` when there is none. */
  step(): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (
        next === undefined ||
        timer.atMs < next.atMs ||
        (timer.atMs === next.atMs && timer.order < next.order)
      ) {
        next = timer;
      }
    }
    if (next === undefined) return false;
    this.#timers.delete(next);
    this.#nowMs = next.atMs;
    next.run();
    return true;
  }
}
