/** Bodies of pages that are under way may take so much together: as much as the largest single one. */
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** A bound for pages that are nearly empty: at 150 ms as many as one processor takes, and sockets for each. */
export const MAX_PAGES_IN_FLIGHT = 256;

/** A round is long enough that its mean is no chance. */
const MIN_ROUND_MS = 40;
/** Of the requests that run more, so many must count: else the processor or the API is busy already. */
const WORTH = 0.4;
/** Fewer are kept that bring as many answers, but for noise. */
const AS_MANY = 0.95;
/** After so many rounds one goes with a quarter more, and after as many again one with a fifth fewer. */
const ROUNDS_BETWEEN = 8;
const MORE = 1.25;
const FEWER = 0.8;

/**
 * How many requests may run at the same time. With a known rate: rate x latency, plus two, so that a slow
 * answer does not lower the rate. Without one: twice as many each round, as long as that brings markedly more answers
 * a second, so that the slower of the API and this processor is busy, with few connections. An API with large pages gets no more than fit into memory.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  #answers = 0;
  #latencyMs = 0;
  #largestBytes = 1;
  /** What is worth it, and the answers a millisecond that it brought. */
  #kept = { atOnce: 1, perMs: 0 };
  #tried = 1;
  #isGrowing = true;
  #rounds = 0;
  #round = { fromMs: 0, answers: 0, latencyMs: 0 };
  #hasRate = false;

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
    return Math.max(1, Math.min(most, this.#set ?? this.#adapted(requestsPerSecond)));
  }

  #adapted(requestsPerSecond: number | undefined): number {
    this.#hasRate = requestsPerSecond !== undefined;
    if (requestsPerSecond === undefined) return this.#tried;
    return Math.ceil((requestsPerSecond * this.#latencyMs) / 1000) + 2;
  }

  /** @param bytes Of the page, 0 for any other answer. */
  answered(nowMs: number, latencyMs: number, bytes: number): void {
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
    const isFirst = this.#answers === 0;
    this.#latencyMs = isFirst ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
    this.#answers++;
    // What was sent before ran with another number of requests. With a rate, that number says nothing.
    if (nowMs - latencyMs < this.#round.fromMs || this.#hasRate) return;
    const answers = this.#round.answers + 1;
    this.#round = { ...this.#round, answers, latencyMs: this.#round.latencyMs + latencyMs };
    const isLong = nowMs - this.#round.fromMs >= MIN_ROUND_MS && answers >= this.#tried / 2;
    if (isLong || isFirst) this.#endRound(nowMs);
  }

  #endRound(nowMs: number): void {
    // Requests at the same time / time of each = answers a time.
    const perMs = (this.#tried * this.#round.answers) / Math.max(1, this.#round.latencyMs);
    const { atOnce, perMs: keptPerMs } = this.#kept;
    const least = 1 + (this.#tried / atOnce - 1) * WORTH;
    const isWorth = perMs >= keptPerMs * (this.#tried < atOnce ? AS_MANY : least);
    if (isWorth || this.#tried === atOnce) this.#kept = { atOnce: this.#tried, perMs };
    else this.#isGrowing = false;
    this.#tried = this.#next();
    this.#round = { fromMs: nowMs, answers: 0, latencyMs: 0 };
  }

  #next(): number {
    const { atOnce } = this.#kept;
    if (this.#isGrowing) return Math.min(MAX_PAGES_IN_FLIGHT, atOnce * 2);
    this.#rounds++;
    if (this.#rounds % ROUNDS_BETWEEN > 0) return atOnce;
    const isMore = this.#rounds % (2 * ROUNDS_BETWEEN) > 0;
    if (isMore) return Math.min(MAX_PAGES_IN_FLIGHT, Math.ceil(atOnce * MORE));
    return Math.max(1, Math.floor(atOnce * FEWER));
  }
}
