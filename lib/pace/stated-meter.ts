import type { StatedQuota } from '../customers-api/stated-quotas.ts';
import type { Patience } from './patience.ts';

/** What the API states of its limits; survives a step. */
export type Stated = Patience & { readonly meters: readonly MeterState[] };

/** A stated limit, and what was used of it. Times are those of sending. */
export interface MeterState {
  readonly name: string;
  /** Requests in a window, as stated; 0: not stated. */
  readonly requests: number;
  /** 0: not stated. */
  readonly windowMs: number;
  /** What comes back in each millisecond; 0: all at the end of the window. */
  readonly perMs: number;
  /** Whether answers have shown which of the two it is. */
  readonly isShown: boolean;
  /** Most that was left, with the request that it was told to; 0: no header says what is left. */
  readonly full: number;
  /** Requests that are admitted still, as of `atMs`. */
  readonly left: number;
  readonly atMs: number;
  /** When all of a window are back; 0: not known, as before its first request. */
  readonly backAtMs: number;
}

/** An answer to a request, and what else was sent. */
export interface Told {
  /** Of the request, counted from the first one. */
  readonly number: number;
  readonly sentAtMs: number;
  /** Requests sent after it. */
  readonly after: number;
  /** Requests without an answer. */
  readonly underWay: number;
  /** By how many requests what is left may differ, because they overtake each other. */
  readonly off: number;
}

interface Reading extends Told {
  readonly remaining: number;
}

/** So many requests that came back, or did not, show whether they come back evenly. */
const SHOWN = 2;
/** Times are told in whole seconds. */
const ROUNDED_MS = 1_000;

/** Counts what is left of a stated limit. Each header that says what is left sets this right. */
export class StatedMeter {
  #state: MeterState;
  /** Since then it is counted what came back. */
  #from: Reading | undefined;
  /** By this count. */
  #windowFromMs = 0;
  #lowestOfWindow = Number.POSITIVE_INFINITY;
  #shortestResetMs = Number.POSITIVE_INFINITY;

  constructor(state: MeterState) {
    this.#state = state;
  }

  /** @param sent Requests that were sent before the limit was stated. */
  static begun(quota: StatedQuota, sent: number, atMs: number): StatedMeter {
    const { name, requests = 0, windowSeconds = 0 } = quota;
    const windowMs = windowSeconds * 1000;
    const backAtMs = windowMs > 0 ? atMs + windowMs : 0;
    const used = { left: requests - sent, atMs, backAtMs };
    return new StatedMeter({
      ...{ name, requests, windowMs, perMs: 0, isShown: false, full: 0, ...used },
    });
  }

  get state(): MeterState {
    return this.#state;
  }

  /** Who states no size, and says each time that nothing is left, counts nothing. */
  get isUsed(): boolean {
    return this.#state.requests > 0 || this.#state.full > 1;
  }

  /**
   * When the next request is admitted; 0: at once; `undefined`: when an answer says so.
   *
   * @param waiting Requests that will be spent before it.
   */
  dueAtMs(waiting = 0): number | undefined {
    const { perMs, atMs, backAtMs } = this.#state;
    const left = this.#state.left - waiting;
    if (!this.isUsed) return 0;
    if (perMs > 0) return atMs + (1 - left) / perMs;
    if (left >= 2) return 0;
    return left >= 1 ? this.#showsAtMs : backAtMs || undefined;
  }

  /** Until then one request is kept, whose answer shows whether others have come back. */
  get #showsAtMs(): number {
    const { isShown, backAtMs } = this.#state;
    if (isShown || this.#from === undefined) return 0;
    const atMs = this.#from.sentAtMs + (2 * SHOWN) / this.#evenPerMs;
    return Math.min(atMs, backAtMs);
  }

  /** What comes back in each millisecond, if evenly. Without a stated window the shortest reset is taken for it. */
  get #evenPerMs(): number {
    const { requests, windowMs, perMs, isShown } = this.#state;
    if (windowMs === 0 && isShown && perMs > 0) return perMs;
    return requests / (windowMs || this.#shortestResetMs);
  }

  /** Counts anew if the window has ended: those that wait are spent in the next one. */
  roll(nowMs: number): void {
    const { perMs, full, backAtMs, requests } = this.#state;
    if (perMs > 0 || backAtMs === 0 || nowMs < backAtMs) return;
    this.#from = undefined;
    this.#windowFromMs = nowMs;
    this.#lowestOfWindow = Number.POSITIVE_INFINITY;
    this.#set({ left: requests || full, backAtMs: 0, atMs: nowMs });
  }

  spend(atMs: number): void {
    this.#comeTo(atMs);
    const { left, full, perMs, windowMs, backAtMs } = this.#state;
    const most = perMs > 0 ? Math.min(left, full) : left;
    const isBegin = backAtMs === 0 && windowMs > 0;
    this.#set({ left: most - 1, backAtMs: isBegin ? atMs + windowMs : backAtMs });
  }

  read({ remaining, resetSeconds = 0 }: StatedQuota, told: Told): void {
    if (remaining === undefined || told.sentAtMs < this.#windowFromMs) return;
    const reading = { ...told, remaining };
    const resetMs = resetSeconds * 1000;
    this.#shortestResetMs = Math.min(this.#shortestResetMs, resetMs || Number.POSITIVE_INFINITY);
    if (this.#from === undefined) this.#guess(reading, resetMs);
    else this.#tell(reading, this.#from);
    // To a full bucket nothing comes back.
    const isFull = this.#state.perMs > 0 && remaining + 1 >= this.#state.full;
    if (this.#from === undefined || isFull) this.#from = reading;
    this.#set({ full: Math.max(this.#state.full, remaining + 1) });
    const { left } = this.#state;
    this.#correct(reading);
    if (resetMs === 0) return;
    const { backAtMs, perMs } = this.#state;
    const endMs = told.sentAtMs + resetMs;
    // Nothing comes back to a window before its end, so one with more than was counted is another one.
    const isOther = perMs > 0 || this.#state.left > left;
    // Whole seconds are rounded up: the earliest end is the exact one.
    this.#set({ backAtMs: isOther ? endMs : Math.min(backAtMs || endMs, endMs) });
  }

  /** Whether it may be the cause of a throttle whose headers do not say what is left. */
  isUsedUp({ after, off }: Told): boolean {
    const { left, full } = this.#state;
    return full === 0 || left + after < 1 + SHOWN + off;
  }

  throttled(nowMs: number, untilMs: number, { after }: Told): void {
    const { left, perMs, full, windowMs, requests } = this.#state;
    this.#from = undefined;
    // Fewer at once than are stated for the window: they come back evenly.
    const used = requests - left - after;
    if (perMs === 0 && full === 0 && used < requests && windowMs > 0) {
      this.#set({ perMs: requests / windowMs, full: Math.max(1, Math.floor(used / 2)) });
    } else if (perMs > 0) this.#set({ full: Math.max(1, Math.floor(full / 2)) });
    this.#set({ left: Math.min(left, 0), atMs: nowMs, backAtMs: untilMs });
  }

  #set(change: Partial<MeterState>): void {
    this.#state = { ...this.#state, ...change };
  }

  #comeTo(nowMs: number): void {
    this.roll(nowMs);
    const { perMs, left, atMs } = this.#state;
    this.#set({ left: left + Math.max(0, nowMs - atMs) * perMs, atMs: Math.max(nowMs, atMs) });
  }

  /** Whether requests come back evenly or at the end of a window, by what came back since the first reading. */
  #tell(reading: Reading, from: Reading): void {
    const { remaining, number, sentAtMs, off } = reading;
    const perMs = this.#evenPerMs;
    const used = number - from.number;
    const cameBack = remaining - from.remaining + used;
    const expected = Math.min((sentAtMs - from.sentAtMs) * perMs, used);
    // Both numbers may be off, and are whole.
    if (Math.max(expected, cameBack) < 1 + SHOWN + off + from.off) return;
    this.#set({ isShown: true, perMs: cameBack >= expected / 2 ? perMs : 0 });
  }

  /** Where less is left than of a window, or more, it is taken for a bucket: if all are back soon. */
  #guess({ remaining, after, off }: Reading, resetMs: number): void {
    const { requests, isShown, left } = this.#state;
    const perMs = this.#evenPerMs;
    const isLess = remaining - after < left - off - 1;
    const isSoon = resetMs <= 1 / perMs + ROUNDED_MS;
    if (!isShown && (remaining >= requests || (isLess && isSoon))) this.#set({ perMs });
  }

  #correct({ remaining, after, underWay, sentAtMs, off }: Reading): void {
    const { perMs, left, atMs, full } = this.#state;
    const told = remaining - after + (atMs - sentAtMs) * perMs;
    const differs = (perMs > 0 ? Math.min(full - 1, told) : told) - left;
    // What may only have been overtaken changes a bucket a little, and a window not at all.
    if (perMs > 0 && Math.abs(differs) <= off + 1) this.#set({ left: left + differs / (1 + off) });
    else if (differs > off) {
      this.#lowestOfWindow = remaining;
      this.#set({ left: left + differs - off });
    } else if (differs < -off - 1) this.#set({ left: left + differs });
    // All of a window are answered: the lowest number is the last one.
    this.#lowestOfWindow = Math.min(this.#lowestOfWindow, remaining);
    if (perMs === 0 && underWay === 0) this.#set({ left: this.#lowestOfWindow });
  }
}
