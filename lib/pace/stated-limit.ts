import type { StatedQuota } from '../customers-api/stated-quotas.ts';
import { CLOCK_SET_BACK_MS, LOOK_AGAIN_MS, MIN_BURST } from './limit.ts';
import type { Answered } from './pacer.ts';
import {
  afterThrottle,
  afterTry,
  endsAtMs,
  held,
  isOver,
  NEW_PATIENCE,
  notHeld,
  type Patience,
} from './patience.ts';
import { type Stated, StatedMeter, type Told } from './stated-meter.ts';

const MAX_METERS = 6;
/** The times of so many requests that were sent lately are known. */
const LATEST = 1_000;
/** A request arrives earlier or later than it seems to by as many of the usual jitters. */
const OFF_JITTERS = 1.5;
/** And by such a share of the latency, divided by the answers that have shown how much they differ. */
const OFF_AT_FIRST = 0.3;

interface Sent {
  /** Of {@link StatedLimit.spend}; `undefined` for what was not spent. */
  readonly number: number | undefined;
  /** When it was spent. */
  readonly atMs: number;
  /** As {@link StatedLimit.send} said. */
  readonly isTry: boolean;
  /** Requests without an answer, itself excluded. */
  readonly underWay: number;
}

/** Keeps the limits that RateLimit headers state. */
export class StatedLimit {
  #meters: readonly StatedMeter[];
  #patience: Patience;
  #sentAtMs: number[] = [];
  #sent = 0;
  #offMs: number;
  #answers = 0;
  /** Requests that may run at the same time. */
  #atOnce = Number.POSITIVE_INFINITY;
  #blockedUntilMs = 0;

  constructor({ meters, ...patience }: Stated = { meters: [], ...NEW_PATIENCE }, jitterMs = 0) {
    this.#meters = meters.map((each) => new StatedMeter(each));
    this.#patience = patience;
    this.#offMs = OFF_JITTERS * jitterMs;
  }

  get known(): Stated | undefined {
    if (this.#meters.length === 0) return undefined;
    return { meters: this.#meters.map(({ state }) => state), ...this.#patience };
  }

  /** While requests come back evenly; `undefined` for windows, and without headers. */
  get requestsPerSecond(): number | undefined {
    const rates = this.#used().flatMap(({ state: { perMs } }) => (perMs > 0 ? [perMs * 1000] : []));
    return rates.length === 0 ? undefined : Math.min(...rates);
  }

  /** Whether many requests may be sent at once after a wait. */
  get isBurst(): boolean {
    return this.#used().some(
      ({ state }) => state.perMs === 0 && Math.max(state.requests, state.full) >= MIN_BURST,
    );
  }

  /** Whether a request that is sent now goes out although nothing is left. */
  send(nowMs: number, underWay: number, waiting = 0): boolean {
    const isTry = this.#openAtMs(nowMs, underWay, waiting) > nowMs;
    if (isTry) this.#patience = notHeld(this.#patience);
    return isTry;
  }

  /** @returns The number of this request, in the order in which the API meets them. */
  spend(atMs: number): number {
    this.#sent++;
    this.#sentAtMs.push(atMs);
    if (this.#sentAtMs.length > 2 * LATEST) this.#sentAtMs = this.#sentAtMs.slice(-LATEST);
    for (const meter of this.#meters) meter.spend(atMs);
    return this.#sent;
  }

  /** @returns Whether a stated limit explains the throttle. */
  answered(answered: Answered, sent: Sent, jitterMs: number): boolean {
    const { number, atMs: sentAtMs, isTry, underWay } = sent;
    if (answered.kind === 'other' || number === undefined) return false;
    this.#answers++;
    const unseenMs = (OFF_AT_FIRST * (answered.atMs - sentAtMs)) / this.#answers;
    this.#offMs = OFF_JITTERS * jitterMs + unseenMs;
    const { atMs: nowMs, rateLimit } = answered;
    const after = this.#sent - number;
    const told = { number, sentAtMs, underWay, after, off: this.#overtakersOf(sentAtMs) };
    const isThrottled = answered.kind === 'throttled';
    for (const quota of rateLimit?.quotas ?? []) {
      if (quota.isAtOnce) this.#atOnce = quota.requests ?? 0;
      else {
        const meter = this.#meterOf(quota, nowMs);
        if (!isThrottled) meter.read(quota, told);
        if (quota.remaining) this.#patience = { ...this.#patience, heldMs: 0 };
      }
    }
    if (isThrottled) return this.#throttled(answered, told);
    if (isTry && this.#openAtMs(nowMs, 0, 0) > nowMs) this.#patience = afterTry(this.#patience);
    return false;
  }

  /** @param waiting Requests that are spent when they leave. */
  dueAtMs(nowMs: number, underWay: number, waiting = 0): number {
    const openMs = this.#openAtMs(nowMs, underWay, waiting);
    this.#patience = held(this.#patience, nowMs, openMs > nowMs);
    return openMs > nowMs ? Math.max(nowMs, Math.min(openMs, endsAtMs(this.#patience))) : nowMs;
  }

  #openAtMs(nowMs: number, underWay: number, waiting: number): number {
    if (this.#meters.some(({ state }) => state.atMs > nowMs + CLOCK_SET_BACK_MS)) this.#meters = [];
    const dues = this.#meters.map((meter) => {
      meter.roll(nowMs - this.#offMs);
      const dueAtMs = meter.dueAtMs(waiting);
      if (dueAtMs !== undefined) return dueAtMs + this.#offMs;
      // Without an end of the window one request at a time asks whether it has come.
      return underWay === 0 ? nowMs : nowMs + LOOK_AGAIN_MS;
    });
    return Math.max(nowMs, ...dues, underWay < this.#atOnce ? 0 : nowMs + LOOK_AGAIN_MS);
  }

  /** How many requests may have overtaken the one that was sent then, or the other way round. */
  #overtakersOf(atMs: number): number {
    const sentUntil = (ms: number) => this.#sentAtMs.findLastIndex((each) => each <= ms) + 1;
    return Math.max(0, sentUntil(atMs + this.#offMs) - sentUntil(atMs - this.#offMs - 1) - 1);
  }

  #used(): readonly StatedMeter[] {
    return isOver(this.#patience) ? [] : this.#meters.filter(({ isUsed }) => isUsed);
  }

  #meterOf(quota: StatedQuota, nowMs: number): StatedMeter {
    const known = this.#meters.find(({ state }) => state.name === quota.name);
    if (known !== undefined) return known;
    const meter = StatedMeter.begun(quota, this.#sent, nowMs);
    this.#meters = [...this.#meters, meter].slice(0, MAX_METERS);
    return meter;
  }

  #throttled(
    { rateLimit, atMs, waitSeconds = 1 }: Extract<Answered, { kind: 'throttled' }>,
    told: Told,
  ): boolean {
    const leftOf = ({ state }: StatedMeter) =>
      rateLimit?.quotas.find(({ name }) => name === state.name)?.remaining;
    const used = this.#used();
    const none = used.filter((meter) => leftOf(meter) === 0);
    const untold = used.filter((meter) => leftOf(meter) === undefined && meter.isUsedUp(told));
    const explaining = none.length > 0 ? none : untold;
    if (explaining.length === 0) return false;
    const untilMs = atMs + waitSeconds * 1000;
    // What was under way with the first one tells nothing more.
    if (told.sentAtMs >= this.#blockedUntilMs) {
      for (const meter of explaining) meter.throttled(atMs, untilMs, told);
      this.#patience = afterThrottle(this.#patience);
    }
    this.#blockedUntilMs = untilMs;
    return true;
  }
}
