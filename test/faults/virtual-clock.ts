interface Timer {
  readonly atMs: number;
  readonly order: number;
  /** `undefined` once it was taken back. */
  run: (() => void) | undefined;
}

/** Time that stands still until it is moved to the next timer. */
export class VirtualClock {
  #nowMs: number;
  #order = 0;
  /** A binary heap, the next one first: simulations of thousands of connections have as many timers. */
  readonly #timers: Timer[] = [];

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
    const timer: Timer = { atMs: wholeMs, order: this.#order++, run };
    this.#add(timer);
    return () => {
      timer.run = undefined;
    };
  }

  delay(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.#nowMs + ms, resolve));
  }

  /** Resolves after `ms` or at once when the signal aborts. */
  sleep(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const abort = () => {
        cancel();
        resolve();
      };
      const cancel = this.at(this.#nowMs + ms, () => {
        // Some signals hear of thousands of waits.
        signal.removeEventListener('abort', abort);
        resolve();
      });
      signal.addEventListener('abort', abort);
    });
  }

  /** Moves to the next timer and runs it; `false` when there is none. */
  step(): boolean {
    for (let next = this.#take(); next !== undefined; next = this.#take()) {
      if (next.run === undefined) continue;
      this.#nowMs = next.atMs;
      next.run();
      return true;
    }
    return false;
  }

  #add(timer: Timer): void {
    const heap = this.#timers;
    let at = heap.push(timer) - 1;
    for (let parent = (at - 1) >> 1; at > 0; parent = (at - 1) >> 1) {
      const above = heap[parent];
      if (above === undefined || isBefore(above, timer)) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = timer;
  }

  #take(): Timer | undefined {
    const heap = this.#timers;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let at = 0;
    for (;;) {
      const [left, right] = [heap[2 * at + 1], heap[2 * at + 2]];
      if (left === undefined) break;
      const isRight = right !== undefined && isBefore(right, left);
      const child = isRight ? right : left;
      if (isBefore(last, child)) break;
      heap[at] = child;
      at = 2 * at + (isRight ? 2 : 1);
    }
    heap[at] = last;
    return first;
  }
}

function isBefore(a: Timer, b: Timer): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.order < b.order);
}
