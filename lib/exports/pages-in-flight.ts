/** Bodies of pages that are under way may take so much together: as much as the largest single one. */
export const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** A bound for pages that are nearly empty: at 150 ms as many as one processor takes, and sockets for each. */
export const MAX_PAGES_IN_FLIGHT = 256;

/** As many as careful clients ask for at once that know nothing of an API, after an answer to a single one. */
const FIRST_AT_ONCE = 8;
/** After so many rounds fewer will do, where answers come at once. */
const LEAST_AT_ONCE = 3;
/** As many again, so that neither the API nor the processor is ever idle, and shows it when it takes more. */
const TWICE = 2;
/** Once in as many rounds as are kept a little fewer than that shows the time of an answer that waits for no other. */
const LOOK = 0.75;
/** Answers that take so many times the least time wait for each other: no more are asked for at the same time. */
const QUEUED = 1.5;
/** Answers of a round at least, so that the mean of their times is no chance. */
const LEAST_ANSWERS = 32;
/** What rounds before the latest ones have shown is forgotten. */
const ROUNDS = 8;

interface Round {
  readonly fromMs: number;
  readonly answers: number;
  readonly latencyMs: number;
  /** Most answers a millisecond that came while one request ran. */
  readonly perMs: number;
  /** Most requests that ran at the same time. */
  readonly atOnce: number;
}

/**
 * How many requests may run at the same time. With a known rate: rate x latency, plus two, so that a slow
 * answer does not lower the rate. Without one: twice as many as the API and this processor take at a time, which is
 * the most answers a second x the least time of an answer that the latest rounds have shown. So the slower one of both is busy
 * whatever the latency, with few connections. No more than twice of what has run at the same time, and no
 * more large pages than fit into memory.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  readonly #start: number;
  #underWay = 0;
  #answers = 0;
  #latencyMs = 0;
  #largestBytes = 1;
  /** The latest ones, without the one that runs. */
  #rounds: readonly Round[] = [];
  #roundNumber = 0;
  #round: Round = roundFrom(0);

  /**
   * @param set By the user.
   * @param start As many at once, also before the first answer, that shows whether the key is still accepted: a wrong key
   * costs one request.
   */
  constructor(set: number | undefined, start = 1) {
    this.#set = set;
    this.#start = start;
  }

  /** A moving average; a new answer counts a fifth. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  /** @param heldBytes What answered pages take that nobody has taken yet. @default 0 */
  limit(requestsPerSecond: number | undefined, heldBytes = 0): number {
    if (this.#answers === 0) return Math.min(this.#start, this.#set ?? this.#start);
    const fitting = Math.floor((MAX_BYTES_IN_FLIGHT - heldBytes) / this.#largestBytes);
    const most = Math.max(1, Math.min(MAX_PAGES_IN_FLIGHT, fitting));
    return Math.max(1, Math.min(most, this.#set ?? this.#adapted(requestsPerSecond)));
  }

  #adapted(requestsPerSecond: number | undefined): number {
    if (requestsPerSecond !== undefined) {
      return Math.ceil((requestsPerSecond * this.#latencyMs) / 1000) + 2;
    }
    const seen = [...this.#rounds, this.#round];
    const perMs = Math.max(...seen.map((each) => each.perMs));
    const meansMs = this.#rounds.map((each) => each.latencyMs / each.answers);
    const leastMs = Math.min(...meansMs);
    const taken = perMs * Math.max(1, leastMs);
    const ran = Math.max(...seen.slice(-2).map(({ atOnce }) => atOnce));
    const isQueued = (meansMs.at(-1) ?? 0) > QUEUED * leastMs;
    const most = ran * (isQueued ? 1 : TWICE);
    const isLook = this.#roundNumber % ROUNDS === 0;
    const isNew = this.#roundNumber < ROUNDS;
    const least = isNew ? Math.max(FIRST_AT_ONCE, this.#start) : LEAST_AT_ONCE;
    return Math.max(least, Math.min(Math.ceil(taken * (isLook ? LOOK : TWICE)), most));
  }

  /**
   * Counts a request that is sent now. Call the returned function with its answer, and with the memory that this takes: 0
   * for what is no page.
   */
  sent(atMs: number): (nowMs: number, bytes: number) => void {
    const answersBefore = this.#answers;
    const atOnce = ++this.#underWay;
    return (nowMs, bytes) => {
      this.#underWay--;
      this.#answers++;
      this.#largestBytes = Math.max(this.#largestBytes, bytes);
      const latencyMs = nowMs - atMs;
      const isFirst = this.#answers === 1;
      this.#latencyMs = isFirst ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
      // What was sent before ran beside another number of requests.
      if (atMs < this.#round.fromMs) return;
      const { fromMs, ...round } = this.#round;
      this.#round = {
        fromMs,
        answers: round.answers + 1,
        latencyMs: round.latencyMs + latencyMs,
        perMs: Math.max(round.perMs, (this.#answers - answersBefore) / Math.max(1, latencyMs)),
        atOnce: Math.max(round.atOnce, atOnce),
      };
      const few = this.#roundNumber < ROUNDS ? FIRST_AT_ONCE : LEAST_ANSWERS;
      const least = Math.max(few, this.#round.atOnce / 2);
      if (isFirst || this.#round.answers >= least) this.#endRound(nowMs);
    };
  }

  #endRound(nowMs: number): void {
    this.#rounds = [...this.#rounds, this.#round].slice(-ROUNDS);
    this.#roundNumber++;
    this.#round = roundFrom(nowMs);
  }
}

function roundFrom(fromMs: number): Round {
  return { fromMs, answers: 0, latencyMs: 0, perMs: 0, atOnce: 0 };
}
