import type { RateLimitFacts } from '../customers-api/throttle-wait.ts';
import { CLOCK_SET_BACK_MS, LOOK_AGAIN_MS, MIN_BURST, OVERTAKEN_JITTERS } from './limit.ts';
import type { Answered } from './pacer.ts';
import {
  type MeterState,
  MIN_PATIENCE_MS,
  type Stated,
  StatedMeter,
  type Told,
} from './stated-meter.ts';

/** A limit that is stated and not kept by the API costs twice this at most. */
const PATIENCE_MS = 120_000;
const MAX_PATIENCE_MS = 3_600_000;
/** The times of so many requests that were sent lately are known. */
const LATEST = 1_000;
const MAX_METERS = 6;

interface Sent {
  readonly number: number;
  readonly atMs: number;
  /** Requests without an answer, itself excluded. */
  readonly underWay: number;
}

const NOTHING_STATED: Stated = {
  meters: [],
  patienceMs: PATIENCE_MS,
  heldMs: 0,
  heldFromMs: 0,
};

/** Keeps the limits that RateLimit headers state. */
export class StatedLimit {
  #meters: readonly StatedMeter[];
  #patienceMs: number;
  #heldMs: number;
  #heldFromMs: number;
  #sentAtMs: number[] = [];
  #sent = 0;
  /** By how much requests overtake each other. */
  #offMs = 0;
  /** Requests that may run at the same time. */
  #atOnce = Number.POSITIVE_INFINITY;
  #blockedUntilMs = 0;
  /** The request that went out although nothing was left. */
  #probe = 0;

  constructor(stated: Stated = NOTHING_STATED) {
    this.#meters = stated.meters.map((each) => new StatedMeter(each));
    this.#patienceMs = stated.patienceMs;
    this.#heldMs = stated.heldMs;
    this.#heldFromMs = stated.heldFromMs;
  }

  get known(): Stated | undefined {
    if (this.#meters.length === 0) return undefined;
    const [patienceMs, heldMs, heldFromMs] = [this.#patienceMs, this.#heldMs, this.#heldFromMs];
    return { meters: this.#meters.map(({ state }) => state), patienceMs, heldMs, heldFromMs };
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

  /** @returns The number of this request, for {@link answered}. */
  send(nowMs: number, underWay: number): number {
    const isProbe = this.#openAtMs(nowMs, underWay) > nowMs;
    this.#spend(nowMs);
    if (isProbe) {
      this.#probe = this.#sent;
      this.#hold(0, 0);
    }
    return this.#sent;
  }

  spentElsewhere(atMs: number): void {
    this.#spend(atMs);
  }

  /**
   * @returns Whether a stated limit explains the throttle.
   */
  answered(
    answered: Answered,
    { number, atMs: sentAtMs, underWay }: Sent,
    jitterMs: number,
  ): boolean {
    if (answered.kind === 'other') return false;
    const { atMs: nowMs, rateLimit } = answered;
    const offMs = OVERTAKEN_JITTERS * jitterMs;
    this.#offMs = offMs;
    const off = this.#sentUntil(sentAtMs + offMs) - this.#sentUntil(sentAtMs - offMs) - 1;
    const arrivedMs = (sentAtMs + nowMs) / 2;
    const told = {
      number,
      arrivedMs,
      nowMs,
      underWay,
      inAir: this.#sentAtMs.length - this.#sentUntil(arrivedMs),
      after: this.#sent - number,
      off: Math.max(0, off),
    };
    this.#read(rateLimit, told);
    const isProbe = number === this.#probe;
    if (answered.kind === 'throttled') return this.#throttled(answered, told);
    if (isProbe && this.#openAtMs(nowMs, 0) > nowMs) this.#patienceMs /= 2;
    return false;
  }

  dueAtMs(nowMs: number, underWay: number): number {
    const openMs = this.#openAtMs(nowMs, underWay);
    if (openMs <= nowMs) {
      if (this.#heldFromMs > 0) this.#hold(this.#heldMs + nowMs - this.#heldFromMs, 0);
      return nowMs;
    }
    if (this.#heldFromMs === 0) this.#heldFromMs = nowMs;
    const patientUntilMs = this.#heldFromMs + this.#patienceMs - this.#heldMs;
    return Math.max(nowMs, Math.min(openMs, patientUntilMs));
  }

  #openAtMs(nowMs: number, underWay: number): number {
    if (this.#meters.some(({ state }) => state.atMs > nowMs + CLOCK_SET_BACK_MS)) this.#meters = [];
    if (this.#patienceMs < MIN_PATIENCE_MS) return nowMs;
    const dues = this.#meters.map((meter) =>
      Math.max(
        meter.dueAtMs(nowMs, underWay),
        this.#slidingAtMs(meter.state),
        this.#apartAtMs(meter.state),
      ),
    );
    return Math.max(nowMs, ...dues, underWay < this.#atOnce ? 0 : nowMs + LOOK_AGAIN_MS);
  }

  /** Where nothing tells when a window begins, none of that length has more requests than are stated. */
  #slidingAtMs({ requests, windowMs, perMs, isCounting }: MeterState): number {
    const isAlone = windowMs > 0 && perMs === 0 && !isCounting;
    const sentAtMs = isAlone ? this.#sentAtMs.at(-requests) : undefined;
    return sentAtMs === undefined ? 0 : sentAtMs + windowMs + this.#offMs;
  }

  /** A bucket without a burst throttles the second of two requests that come closer together on their way. */
  #apartAtMs({ perMs, full }: MeterState): number {
    const lastAtMs = perMs > 0 && full < 2 ? this.#sentAtMs.at(-1) : undefined;
    return lastAtMs === undefined ? 0 : lastAtMs + 1 / perMs + this.#offMs;
  }

  /** Of those that are known. */
  #sentUntil(atMs: number): number {
    return this.#sentAtMs.findLastIndex((each) => each <= atMs) + 1;
  }

  #used(): readonly StatedMeter[] {
    return this.#patienceMs < MIN_PATIENCE_MS ? [] : this.#meters.filter(({ isUsed }) => isUsed);
  }

  #hold(heldMs: number, fromMs: number): void {
    this.#heldMs = heldMs;
    this.#heldFromMs = fromMs;
  }

  #spend(atMs: number): void {
    this.#sent++;
    this.#sentAtMs.push(atMs);
    if (this.#sentAtMs.length > 2 * LATEST) this.#sentAtMs = this.#sentAtMs.slice(-LATEST);
    for (const meter of this.#meters) meter.spend(atMs);
  }

  #read(facts: RateLimitFacts | undefined, told: Told): void {
    for (const quota of facts?.quotas ?? []) {
      const { name, requests = 0, isAtOnce, remaining = 0 } = quota;
      if (isAtOnce) this.#atOnce = requests;
      else {
        const known = this.#meters.find(({ state }) => state.name === name);
        const meter = known ?? StatedMeter.begun(quota, this.#sent, told.nowMs);
        if (known === undefined) this.#meters = [...this.#meters, meter].slice(0, MAX_METERS);
        meter.read(quota, told);
        if (remaining > 0) this.#heldMs = 0;
      }
    }
  }

  #throttled(answered: Extract<Answered, { kind: 'throttled' }>, told: Told) {
    const { waitSeconds = 1, rateLimit, atMs } = answered;
    const leftOf = (name: string) =>
      rateLimit?.quotas.find((each) => each.name === name)?.remaining;
    const found = this.#used().map((meter) => ({
      meter,
      how: meter.explains(leftOf(meter.state.name), told),
    }));
    const best = Math.max(0, ...found.map(({ how }) => how));
    if (best === 0) return false;
    for (const { meter, how } of found) if (how === best) meter.throttled(waitSeconds, atMs);
    this.#heldMs = 0;
    if (atMs >= this.#blockedUntilMs) {
      this.#patienceMs = Math.min(MAX_PATIENCE_MS, this.#patienceMs * 2);
    }
    this.#blockedUntilMs = atMs + waitSeconds * 1000;
    return true;
  }
}
