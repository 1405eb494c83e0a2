/** Highest number of requests at the same time, whatever rate and latency. */
const MAX_PAGES_IN_FLIGHT = 16;

/** Numbers that are tried where no rate is known. */
const TRIED: readonly [number, ...number[]] = [2, 4, 8, 12, MAX_PAGES_IN_FLIGHT];
const FIRST_TRIED = 2;

/** What is being tried: more at a time, fewer, or nothing. */
type Direction = 'up' | 'down' | 'none';

/** Answers for each request under way until a number is judged. */
const ANSWERS_EACH = 3;
/** More at a time must be worth as much. */
const BETTER = 1.05;
/** How many answers a number is kept that was found the best; conditions change. */
const KEPT_ANSWERS = 300;

/**
 * How many requests may be under way: what a known rate and the latency fill, and two more so that a slow
 * answer does not hold the rate down. Without a known rate as many as make the answers come faster: an
 * API that only answers later for being asked more at a time is asked less.
 */
export class PagesInFlight {
  readonly #set: number | undefined;
  #answers = 0;
  #latencyMs = 0;
  #index = FIRST_TRIED;
  /** Answers a second when it was judged last. */
  #perSecondBefore = 0;
  #direction: Direction = 'up';
  #isUpNext = false;
  #beganAtMs: number | undefined;
  #answersHere = 0;

  /** @param set What the settings say. */
  constructor(set: number | undefined) {
    this.#set = set;
  }

  /** A moving average: one slow answer moves it by a fifth. */
  get latencyMs(): number {
    return this.#latencyMs;
  }

  limit(requestsPerSecond: number | undefined): number {
    // The first answer of a step shows whether the key is still accepted: a wrong key costs one request.
    if (this.#answers === 0) return 1;
    if (this.#set !== undefined) return this.#set;
    if (requestsPerSecond !== undefined) {
      const filled = Math.ceil((requestsPerSecond * this.#latencyMs) / 1000);
      return Math.min(MAX_PAGES_IN_FLIGHT, filled + 2);
    }
    return Math.min(this.#tried(), this.#answers + 1);
  }

  answered(nowMs: number, latencyMs: number): void {
    this.#latencyMs = this.#answers === 0 ? latencyMs : this.#latencyMs * 0.8 + latencyMs * 0.2;
    this.#answers++;
    // The first ones come while requests are still being added.
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

  /** Goes on in a direction as long as it helps; else goes back and stays there for a while. */
  #judge(perSecond: number): void {
    const before = this.#perSecondBefore;
    this.#perSecondBefore = perSecond;
    if (this.#direction === 'up') {
      if (perSecond > before * BETTER) this.#move(1, 'up');
      else this.#move(-1, 'none');
    } else if (this.#direction === 'down') {
      // Fewer at a time that are as fast are better.
      if (perSecond * BETTER > before) this.#move(-1, 'down');
      else this.#move(1, 'none');
    } else this.#tryNext(perSecond * BETTER < before);
  }

  /** Up and down by turns; down at once when answers have become slower. */
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
