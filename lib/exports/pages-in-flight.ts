/** Bodies of pages that are under way may take so much together: as much as the largest single one. */
export const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

/** A bound for pages that are nearly empty: at 150 ms as many as one processor takes, and sockets for each. */
export const MAX_PAGES_IN_FLIGHT = 256;

/** As many as careful clients ask for at once that know nothing of an API, after an answer to a single one. */
const FIRST_AT_ONCE = 8;
/**
 * Where throttles come by chance: twice as many as at first take a third fewer waits. More would take fewer still, but all
 * that are under way reach an API that has just asked to wait.
 */
const AT_ONCE_BY_CHANCE = 16;
/** Of the requests that run more, so many must count: else the processor or the API is busy already. */
const WORTH = 0.4;
/** Fewer are kept that bring as many answers, but for noise. */
const AS_MANY = 0.95;
/** Answers of a round at least, so that the mean of their times is no chance. */
const LEAST_ANSWERS = 32;
/** The processor does all it can: more requests would wait for it, and take memory and connections. */
const BUSY = 0.9;
/** Once in so many rounds others are tried: a quarter more, and the next time a fifth fewer. */
const ROUNDS_BETWEEN = 4;
const MORE = 1.25;
const FEWER = 0.8;

/** Sums over requests that were sent and answered in a round. */
interface Round {
  readonly fromMs: number;
  /** `Clock.busyMs` then. */
  readonly fromBusyMs: number;
  readonly answers: number;
  readonly latencyMs: number;
  /** Requests that ran when each was sent. */
  readonly atOnce: number;
  /** Most of them. */
  readonly most: number;
}

/**
 * How many requests may run at the same time. With a known rate: rate x latency, plus two, so that a slow
 * answer does not lower the rate. Without one: twice as many each round, as long as that brings markedly more answers
 * a second; then a few more and fewer are tried in turns. So the slower one of the API and this processor is busy whatever the
 * latency, with few connections. No more than twice of what has run at the same time, and no more large pages
 * than fit into memory.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  readonly #start: number;
  #underWay = 0;
  #answers = 0;
  #latencyMs = 0;
  #largestBytes = 1;
  /** What is worth it, and the answers a millisecond that it brought. */
  #kept: { readonly atOnce: number; readonly perMs: number };
  #tried: number;
  #isGrowing = true;
  /** More were no better, but had to connect first. */
  #isSecondTry = false;
  #rounds = 0;
  #round: Round = roundFrom(0, 0);

  /**
   * @param start As many at once, also before the first answer, that shows whether the key is still accepted: a wrong key
   * costs one request.
   */
  constructor(set: number | undefined, start = 1) {
    this.#set = set;
    this.#start = start;
    this.#tried = Math.max(FIRST_AT_ONCE, start);
    this.#kept = { atOnce: this.#tried, perMs: 0 };
  }

  /** A moving average; a new answer counts a fifth. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  /** @param heldBytes What answered pages take that nobody has taken yet. @default 0 */
  limit(requestsPerSecond: number | undefined, heldBytes = 0): number {
    if (this.#answers === 0) return Math.min(this.#start, this.#set ?? this.#start);
    return this.#fitting(this.#adapted(requestsPerSecond), heldBytes);
  }

  /**
   * To begin with after a wait by chance. It takes as long however many ran before it, so there are the fewer waits the
   * more are asked for between them.
   */
  limitAfterChance(): number {
    return Math.max(this.limit(undefined), this.#fitting(AT_ONCE_BY_CHANCE));
  }

  #fitting(atOnce: number, heldBytes = 0): number {
    const fitting = Math.floor((MAX_BYTES_IN_FLIGHT - heldBytes) / this.#largestBytes);
    const most = Math.max(1, Math.min(MAX_PAGES_IN_FLIGHT, fitting));
    return Math.max(1, Math.min(most, this.#set ?? atOnce));
  }

  #adapted(requestsPerSecond: number | undefined): number {
    if (requestsPerSecond === undefined) return this.#tried;
    return Math.ceil((requestsPerSecond * this.#latencyMs) / 1000) + 2;
  }

  /**
   * Counts a request that is sent now. Call the returned function with its answer, with the memory that this takes, 0
   * for what is no page, and with `Clock.busyMs`.
   */
  sent(atMs: number): (nowMs: number, bytes: number, busyMs?: number) => void {
    const atOnce = ++this.#underWay;
    return (nowMs, bytes, busyMs = 0) => {
      this.#underWay--;
      this.#largestBytes = Math.max(this.#largestBytes, bytes);
      const latencyMs = nowMs - atMs;
      const isFirst = ++this.#answers === 1;
      this.#latencyMs = isFirst ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
      // The first one made the connection. What was sent before the round ran beside another number of requests.
      if (isFirst) this.#round = roundFrom(nowMs, busyMs);
      if (isFirst || atMs < this.#round.fromMs) return;
      const round = this.#round;
      this.#round = {
        ...round,
        answers: round.answers + 1,
        latencyMs: round.latencyMs + latencyMs,
        atOnce: round.atOnce + atOnce,
        most: Math.max(round.most, atOnce),
      };
      const few = this.#isGrowing ? FIRST_AT_ONCE : LEAST_ANSWERS;
      if (this.#round.answers >= Math.max(few, round.most / 2)) this.#endRound(nowMs, busyMs);
    };
  }

  #endRound(nowMs: number, busyMs: number): void {
    const { fromMs, fromBusyMs, atOnce, latencyMs, answers, most } = this.#round;
    const isBusy = busyMs - fromBusyMs >= BUSY * (nowMs - fromMs);
    // Requests at the same time / time of each = answers a time.
    const perMs = atOnce / Math.max(1, latencyMs);
    const isMore = this.#tried > this.#kept.atOnce;
    const least = isMore ? 1 + (atOnce / answers / this.#kept.atOnce - 1) * WORTH : AS_MANY;
    const isWorth = perMs >= this.#kept.perMs * least;
    const isDoubtful = isMore && !isWorth && !isBusy && !this.#isSecondTry;
    this.#isSecondTry = isDoubtful;
    this.#round = roundFrom(nowMs, busyMs);
    if (isDoubtful) return;
    if (isMore) this.#isGrowing = isWorth;
    if (isBusy) this.#isGrowing = false;
    if (isWorth || this.#tried === this.#kept.atOnce) this.#kept = { atOnce: this.#tried, perMs };
    this.#tried = Math.min(this.#next(isBusy), Math.max(FIRST_AT_ONCE, most * 2));
  }

  #next(isBusy: boolean): number {
    const { atOnce } = this.#kept;
    if (this.#isGrowing) return Math.min(MAX_PAGES_IN_FLIGHT, atOnce * 2);
    this.#rounds++;
    if (this.#rounds % ROUNDS_BETWEEN > 0) return atOnce;
    const isMore = this.#rounds % (2 * ROUNDS_BETWEEN) > 0;
    if (isMore && !isBusy) return Math.min(MAX_PAGES_IN_FLIGHT, Math.ceil(atOnce * MORE));
    return Math.max(1, Math.floor(atOnce * FEWER));
  }
}

function roundFrom(fromMs: number, fromBusyMs: number): Round {
  return { fromMs, fromBusyMs, answers: 0, latencyMs: 0, atOnce: 0, most: 0 };
}
