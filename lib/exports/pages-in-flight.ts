/** Bodies of pages that are under way may take so much together: as much as the largest single one. */
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** A bound for pages that are nearly empty: at 150 ms as many as one processor takes, and sockets for each. */
export const MAX_PAGES_IN_FLIGHT = 256;

/** While answers take less than this much longer than the fastest ones, more requests at a time bring more. */
const STILL_FAST = 1.4;
/** From here on requests wait for each other, at the API or here. */
const TOO_SLOW = 2;
/** Of what is under way is taken back then. */
const TAKEN_BACK = 0.8;
/** After so many rounds one goes with half as many, to see what an answer takes when none waits. */
const ROUNDS_OF_FULL = 16;

/**
 * How many requests may run at the same time. With a known rate: rate x latency, plus two, so that a slow
 * answer does not lower the rate. Without one: more as long as answers stay fast, so that the slower of the API and
 * this processor is busy. An API with large pages gets no more than fit into memory.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  #answers = 0;
  #latencyMs = 0;
  #largestBytes = 1;
  #wanted = 1;
  /** Of the rounds since the latest one with half as many. */
  #fastestMs = Number.POSITIVE_INFINITY;
  #rounds = 0;
  #round = { answers: 0, latencyMs: 0 };

  constructor(set: number | undefined) {
    this.#set = set;
  }

  /** A moving average; a new answer counts a fifth. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  limit(requestsPerSecond: number | undefined): number {
    // The first answer of a step shows whether the key is still accepted: a wrong key costs one request.
    if (this.#answers === 0) return 1;
    const fitting = Math.floor(MAX_BYTES_IN_FLIGHT / this.#largestBytes);
    const most = Math.max(1, Math.min(MAX_PAGES_IN_FLIGHT, fitting));
    return Math.min(most, this.#set ?? this.#adapted(requestsPerSecond));
  }

  #adapted(requestsPerSecond: number | undefined): number {
    if (requestsPerSecond === undefined) return this.#isMeasuring ? this.#half : this.#wanted;
    return Math.ceil((requestsPerSecond * this.#latencyMs) / 1000) + 2;
  }

  get #isMeasuring(): boolean {
    return this.#rounds >= ROUNDS_OF_FULL;
  }

  get #half(): number {
    return Math.ceil(this.#wanted / 2);
  }

  /** @param bytes Of the page, 0 for any other answer. */
  answered(_nowMs: number, latencyMs: number, bytes: number): void {
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
    this.#latencyMs = this.#answers === 0 ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
    this.#answers++;
    this.#round = {
      answers: this.#round.answers + 1,
      latencyMs: this.#round.latencyMs + latencyMs,
    };
    const meanMs = this.#round.latencyMs / this.#round.answers;
    this.#fastestMs = Math.min(this.#fastestMs, meanMs);
    // Each answer adds one: twice as many after each round, as long as none waits for another.
    if (this.#latencyMs < this.#fastestMs * STILL_FAST && !this.#isMeasuring)
      this.#wanted = Math.min(MAX_PAGES_IN_FLIGHT, this.#wanted + 1);
    if (this.#round.answers < this.#wanted) return;
    if (this.#isMeasuring) {
      this.#fastestMs = meanMs;
      this.#rounds = 0;
    } else {
      this.#rounds++;
      if (meanMs > this.#fastestMs * TOO_SLOW)
        this.#wanted = Math.max(1, Math.floor(this.#wanted * TAKEN_BACK));
    }
    this.#round = { answers: 0, latencyMs: 0 };
  }
}
