export const MAX_PAGES_IN_FLIGHT = 16;

/** Numbers to try when no rate is known. */
const TRIED: readonly [number, ...number[]] = [2, 4, 8, 12, MAX_PAGES_IN_FLIGHT];
const FIRST_TRIED = 2;

/** Bodies of pages that are under way may take so much together: as much as the largest single one. */
const MAX_BYTES_IN_FLIGHT = 16 * 1024 * 1024;

type Direction = 'up' | 'down' | 'none';

/** Answers per running request before a number is judged. */
const ANSWERS_EACH = 3;
/** More requests at a time must be at least this much faster. */
const BETTER = 1.05;
/**
 * The best number is kept for this many answers; then its neighbours are tried again, since conditions change.
 */
const KEPT_ANSWERS = 300;

/**
 * How many requests may run at the same time. With a known rate: rate x latency, plus two, so that a slow
 * answer does not lower the rate. Without a known rate: the number that gives most answers a second. An API
 * that only gets slower with more requests at a time gets fewer, and so does one with large pages.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  #answers = 0;
  #latencyMs = 0;
  #largestBytes = 1;
  #index = FIRST_TRIED;
  /** Answers a second at the previous judgement. */
  #perSecondBefore = 0;
  #direction: Direction = 'up';
  #isUpNext = false;
  #beganAtMs: number | undefined;
  #answersHere = 0;

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
    const fitting = Math.max(1, Math.floor(MAX_BYTES_IN_FLIGHT / this.#largestBytes));
    return Math.min(fitting, this.#wanted(requestsPerSecond));
  }

  #wanted(requestsPerSecond: number | undefined): number {
    if (this.#set !== undefined) return this.#set;
    if (requestsPerSecond !== undefined) {
      const filled = Math.ceil((requestsPerSecond * this.#latencyMs) / 1000);
      return Math.min(MAX_PAGES_IN_FLIGHT, filled + 2);
    }
    return Math.min(this.#tried(), this.#answers + 1);
  }

  /** @param bytes Of the page, 0 for any other answer. */
  answered(nowMs: number, latencyMs: number, bytes: number): void {
    this.#largestBytes = Math.max(this.#largestBytes, bytes);
    this.#latencyMs = this.#answers === 0 ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
    this.#answers++;
    // While requests are still being added, answers are not representative.
    if (this.#answers < this.#tried()) return;
    this.#beganAtMs ??= nowMs;
    this.#answersHere++;
    const enough = this.#direction === 'none' ? KEPT_ANSWERS : this.#tried() * ANSWERS_EACH;
    if (this.#answersHere < enough || nowMs <= this.#beganAtMs) return;
    this.#judge((this.#answersHere * 1000) / (nowMs - this.#beganAtMs));
    this.#beganAtMs = nowMs;
    this.#answersHere = 0;
  }

  #tried(): number {
    return TRIED[this.#index] ?? TRIED[0];
  }

  /** Continues in a direction while it helps; else goes back one number and keeps it for a while. */
  #judge(perSecond: number): void {
    const before = this.#perSecondBefore;
    this.#perSecondBefore = perSecond;
    if (this.#direction === 'up') {
      if (perSecond > before * BETTER) this.#move(1, 'up');
      else this.#move(-1, 'none');
    } else if (this.#direction === 'down') {
      // Fewer requests at the same speed are better.
      if (perSecond * BETTER > before) this.#move(-1, 'down');
      else this.#move(1, 'none');
    } else this.#tryNext(perSecond * BETTER < before);
  }

  /** Up and down alternately; down at once when answers have become slower. */
  #tryNext(isSlower: boolean): void {
    this.#isUpNext = !isSlower && this.#isUpNext;
    if (this.#isUpNext) this.#move(1, 'up');
    else this.#move(-1, 'down');
    this.#isUpNext = !this.#isUpNext;
  }

  #move(by: 1 | -1, direction: Direction): void {
    const index = this.#index + by;
    const isPossible = index >= 0 && index < TRIED.length;
    this.#index = isPossible ? index : this.#index;
    this.#direction = isPossible ? direction : 'none';
  }
}
