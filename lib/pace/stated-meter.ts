import type { StatedQuota } from '../customers-api/stated-quotas.ts';
import { LOOK_AGAIN_MS } from './limit.ts';

/** A stated limit, and what was used of it. Times are those at which requests arrive. */
export interface MeterState {
  readonly name: string;
  /** Requests in a window, as stated; 0: not stated. */
  readonly requests: number;
  /** 0: not stated. */
  readonly windowMs: number;
  /** `bucket`: requests come back evenly; `window`: all at its end; `unknown`: not seen yet. */
  readonly shape: 'unknown' | 'window' | 'bucket';
  /** What comes back in each millisecond; 0 for a window. */
  readonly perMs: number;
  /** What is left when nothing is used, as far as it was seen; 0: never. */
  readonly full: number;
  /** Requests that would be admitted at `atMs`. */
  readonly left: number;
  readonly atMs: number;
  /** When all are there again; 0: not known, as before the first request of a window. */
  readonly resetAtMs: number;
  /** Whether the numbers of requests left were seen to count them. */
  readonly isCounting: boolean;
}

/** What the API states of its limits; survives a step. */
export interface Stated {
  readonly meters: readonly MeterState[];
  /** For so long in all they hold requests back before one goes out all the same. */
  readonly patienceMs: number;
  readonly heldMs: number;
  /** 0: holds nothing back. */
  readonly heldFromMs: number;
}

/** With less patience, nothing that is stated is believed. */
export const MIN_PATIENCE_MS = 100;

/** An answer to a request, and what else was sent. */
export interface Told {
  /** Of the request, counted from the first one. */
  readonly number: number;
  readonly arrivedMs: number;
  readonly nowMs: number;
  /** Requests sent after it. */
  readonly after: number;
  readonly underWay: number;
  /** Requests that have not arrived yet. */
  readonly inAir: number;
  /** By how many requests what is left may differ, because they overtake each other. */
  readonly off: number;
}

interface Reading extends Told {
  readonly remaining: number;
}

/** A header with a later reset than this is probably misread. */
const MAX_RESET_SECONDS = 3_600;
/** So many requests that came back, or did not, show which of the two it is. */
const SHOWN = 2;
/** And this share of those that were sent, where the rate is not stated. */
const REFILLED_SHARE = 0.2;
/** A rate from less than this is chance. */
const MEASURED_MS = 250;
/** Less is left of a bucket from the start than of the stated requests, by more than this share of them. */
const MISSING = 0.1;
/** What is kept of a bucket: requests arrive a little earlier or later than they seem to. */
const KEPT = 1.5;
const KEPT_SHARE = 0.25;
/** A window opens later than it seemed by so much at most: its end is told in whole seconds. */
const LATE_MS = 2_000;

/** Counts what is left of a stated limit. Each header that says what is left sets this right. */
export class StatedMeter {
  #state: MeterState;
  #sent: number;
  /** Whether what is left was read from a header. */
  #isRead = true;
  /** The first reading of this window, or of a bucket, and the latest one. */
  #from: Reading | undefined;
  #latest: Reading | undefined;
  #lowest = 0;
  /** When a window was open again, and what was sent before. */
  #opened: { readonly atMs: number; readonly sent: number } | undefined;

  /** @param sent Requests that were sent before. */
  constructor(state: MeterState, sent = 0) {
    this.#state = state;
    this.#sent = sent;
  }

  /** @param sent Requests that were sent before the limit was stated. */
  static begun(quota: StatedQuota, sent: number, nowMs: number): StatedMeter {
    const { name, requests = 0, windowSeconds = 0 } = quota;
    const windowMs = windowSeconds * 1000;
    const resetAtMs = windowMs > 0 ? nowMs + windowMs : 0;
    const used = { left: Math.max(0, requests - sent), atMs: nowMs, resetAtMs };
    const seen = { shape: 'unknown' as const, perMs: 0, full: 0, isCounting: false };
    const meter = new StatedMeter({ name, requests, windowMs, ...seen, ...used }, sent);
    meter.#isRead = false;
    return meter;
  }

  get state(): MeterState {
    return this.#state;
  }

  /** Whether what is stated holds requests back. */
  get isUsed(): boolean {
    return this.#state.isCounting || this.#state.windowMs > 0;
  }

  spend(atMs: number): void {
    this.#roll(atMs);
    this.#sent++;
    const { left, resetAtMs, windowMs } = this.#state;
    const isBegin = resetAtMs === 0 && windowMs > 0;
    this.#set({ left: left - 1, resetAtMs: isBegin ? atMs + windowMs : resetAtMs });
  }

  dueAtMs(nowMs: number, underWay: number): number {
    this.#roll(nowMs);
    const { left, perMs, resetAtMs, full } = this.#state;
    if (!this.isUsed) return nowMs;
    if (perMs > 0) {
      const needed = 1 + Math.min(KEPT, Math.max(0, full - 1) * KEPT_SHARE);
      return left >= needed ? nowMs : nowMs + (needed - left) / perMs;
    }
    const showsAtMs = this.#showsAtMs();
    if (left >= 2 || (left >= 1 && nowMs >= showsAtMs)) return nowMs;
    if (left >= 1) return showsAtMs;
    // Without an end of the window one request at a time asks whether it has come.
    if (resetAtMs === 0) return underWay === 0 ? nowMs : nowMs + LOOK_AGAIN_MS;
    return resetAtMs;
  }

  read({ requests = 0, windowSeconds = 0, remaining, resetSeconds = 0 }: StatedQuota, told: Told) {
    this.#roll(told.nowMs);
    this.#set({ requests, windowMs: windowSeconds * 1000 });
    if (remaining === undefined) return;
    const reading = { ...told, remaining };
    const { isCounting } = this.#state;
    const isLess = remaining < (this.#latest?.remaining ?? 0);
    this.#set({ isCounting: isCounting || remaining > 0 || isLess });
    if (this.#isAnew(reading)) this.#from = undefined;
    const isFirst = this.#from === undefined;
    this.#seeFull(reading, isFirst);
    if (this.#from === undefined) this.#begin(reading);
    else if (this.#state.windowMs > 0) this.#tell(reading, this.#from);
    else this.#measure(reading, this.#from);
    if (isFirst || remaining < this.#lowest) this.#lowest = remaining;
    this.#correct(reading);
    this.#isRead = true;
    this.#latest = reading;
    const endMs = told.arrivedMs + resetSeconds * 1000;
    if (resetSeconds === 0 || resetSeconds > MAX_RESET_SECONDS || endMs < told.nowMs) return;
    // Whole seconds are rounded up: the earliest end is the exact one.
    const { resetAtMs } = this.#state;
    this.#set({ resetAtMs: isFirst || resetAtMs === 0 ? endMs : Math.min(resetAtMs, endMs) });
  }

  /**
   * How well the limit explains a throttle: 3 where its header says that nothing is left, 2 where nothing was left by
   * what was counted, 1 where its window was just open again, or may be a bucket.
   */
  explains(remaining: number | undefined, { nowMs, off }: Told): 0 | 1 | 2 | 3 {
    this.#roll(nowMs);
    const { left, full, requests, isCounting, windowMs } = this.#state;
    if (!this.isUsed || (remaining !== undefined && remaining > 0)) return 0;
    if (remaining === 0 && left < (full || requests) / 2) return 3;
    if (left < SHOWN + KEPT + off) return 2;
    const isOpened = this.#opened !== undefined && nowMs - this.#opened.atMs < LATE_MS;
    return isOpened || (windowMs > 0 && !isCounting) ? 1 : 0;
  }

  throttled(waitSeconds: number, nowMs: number): void {
    const { left, perMs, full, resetAtMs, windowMs, requests, isCounting, shape } = this.#state;
    const untilMs = nowMs + waitSeconds * 1000;
    // Fewer at once than are stated for the window: they come back evenly.
    const isEven = !isCounting && left > SHOWN + KEPT && untilMs < nowMs + windowMs / 2 + LATE_MS;
    if (isEven && perMs === 0 && windowMs > 0) {
      const burst = Math.max(1, requests - left - 1);
      this.#set({ full: burst, perMs: requests / windowMs, shape: 'bucket' });
    }
    // More was admitted at once than the bucket holds.
    if (perMs > 0 && left > 0) this.#set({ full: Math.max(1, full - Math.max(1, left)) });
    const isLong = shape === 'unknown' && waitSeconds * 1000 * perMs > full + SHOWN;
    const isWindow = !isEven && (perMs === 0 || isLong);
    const isEndKnown = resetAtMs > nowMs && resetAtMs < untilMs;
    if (isWindow) this.#set({ perMs: 0, resetAtMs: isEndKnown ? resetAtMs : untilMs });
    this.#set({ left: Math.min(left, 0) });
  }

  #set(change: Partial<MeterState>): void {
    this.#state = { ...this.#state, ...change };
  }

  #roll(nowMs: number): void {
    const { perMs, left, atMs, full, resetAtMs, requests, windowMs, shape } = this.#state;
    if (perMs > 0) {
      const refilled = Math.max(0, nowMs - atMs) * perMs;
      this.#set({ left: Math.min(Math.max(full, left), left + refilled) });
    } else if (resetAtMs > 0 && nowMs >= resetAtMs) {
      // A bucket and a window of a few are about the same: what comes back on average tells.
      if (shape !== 'unknown' || windowMs > 0 || full > 2 * SHOWN) this.#from = undefined;
      this.#lowest = Number.POSITIVE_INFINITY;
      this.#opened = { atMs: nowMs, sent: this.#sent };
      const isLess = full > 0 && full < requests * (1 - MISSING);
      const all = windowMs > 0 && !isLess ? requests : full || Number.MAX_SAFE_INTEGER;
      this.#set({ left: all, resetAtMs: 0 });
    }
    this.#set({ atMs: Math.max(nowMs, atMs) });
  }

  /** Until then one request is kept, whose answer shows whether others have come back. */
  #showsAtMs(): number {
    const { shape, requests, windowMs, resetAtMs, isCounting } = this.#state;
    const fromMs = this.#from?.arrivedMs ?? this.#opened?.atMs;
    if (shape !== 'unknown' || !isCounting || fromMs === undefined) return 0;
    const afterMs = windowMs > 0 ? (2 * SHOWN * windowMs) / requests : MEASURED_MS;
    return Math.min(fromMs + afterMs, resetAtMs || Number.POSITIVE_INFINITY);
  }

  /** More is left than can have come back evenly: a window has begun. */
  #isAnew({ remaining }: Reading): boolean {
    const { requests, full } = this.#state;
    const more = remaining - (this.#latest?.remaining ?? remaining);
    return more > Math.max(SHOWN, (requests || full) / 2);
  }

  #seeFull({ remaining, number, off }: Reading, isFirst: boolean): void {
    const { requests, perMs, full } = this.#state;
    const before = number === 1 ? 0 : this.#opened?.sent;
    if (perMs > 0) this.#set({ full: Math.max(full, remaining + 1) });
    if (!isFirst || before === undefined) return;
    const seen = remaining + number - before;
    const isAll = Math.abs(seen - requests) <= off + 1;
    // Requests that overtake each other are counted wrongly.
    const most = requests > 0 ? Math.max(requests, remaining + 1) : seen;
    this.#set({ full: Math.max(full, isAll ? requests : Math.min(seen - off, most)) });
  }

  /** Where less is left than of a window, it is taken for a bucket. */
  #begin(reading: Reading): void {
    const { requests, windowMs, shape, left } = this.#state;
    const { remaining, after, off } = reading;
    this.#from = reading;
    const missing = left - (remaining - after);
    const isWindow = remaining < requests && missing <= Math.max(1 + off, requests * MISSING);
    if (shape !== 'unknown' || windowMs === 0 || isWindow) return;
    this.#set({ perMs: requests / windowMs, full: remaining + 1 });
  }

  /** Between the two shapes, where the rate is stated. */
  #tell({ remaining, number, arrivedMs, off }: Reading, from: Reading): void {
    const { requests, windowMs } = this.#state;
    const used = number - from.number;
    const expected = Math.min(((arrivedMs - from.arrivedMs) * requests) / windowMs, used);
    // Both numbers may be off, and are whole.
    if (expected < SHOWN * (1 + off + from.off) + 1) return;
    const isBucket = remaining - from.remaining + used >= expected / 2;
    if (isBucket) this.#set({ shape: 'bucket', perMs: requests / windowMs });
    else this.#set({ shape: 'window', perMs: 0 });
  }

  /** The rate of a bucket, where it is not stated. */
  #measure({ remaining, number, arrivedMs, off }: Reading, from: Reading): void {
    const used = number - from.number;
    const passedMs = arrivedMs - from.arrivedMs;
    const refilled = remaining - from.remaining + used;
    const [least, share] = [SHOWN + off + from.off, REFILLED_SHARE * used];
    if (passedMs < MEASURED_MS) return;
    if (refilled >= Math.max(least, share)) {
      this.#set({ shape: 'bucket', perMs: refilled / passedMs });
    } else if (share >= least) this.#set({ shape: 'window', perMs: 0 });
  }

  /** What is left is no less than the number says, and less than one more. */
  #correct({ remaining, after, underWay, inAir, nowMs, arrivedMs, off }: Reading): void {
    const { perMs, left, full } = this.#state;
    const refilled = Math.max(0, nowMs - arrivedMs) * perMs;
    const read = remaining + refilled - after;
    const least = perMs > 0 ? Math.min(full - inAir, read) : read;
    const isMore = perMs > 0 && least > left + off;
    const isLess = left > least + off + (perMs > 0 ? 1 : 0);
    if (!this.#isRead || isMore || isLess) this.#set({ left: least });
    // All of a window are answered: the lowest number is the last one.
    if (perMs === 0 && underWay === 0) this.#set({ left: this.#lowest });
  }
}
