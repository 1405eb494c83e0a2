import { randomOf } from '../../../infra/simulator/random.ts';
import type { Limiter } from '../../../infra/simulator/rate-limit.ts';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { type GatePace, gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import { VirtualClock } from '../../faults/virtual-clock.ts';

/** What one export came to. */
export interface ModelledExport {
  readonly wallMs: number;
  /** The same for who knows the limit and what is left of it. */
  readonly idealMs: number;
  readonly requests: number;
  readonly throttled: number;
  /** Requests that were sent although a wait was known to run. */
  readonly early: number;
  /** What the gate holds afterwards. */
  readonly known: GatePace | undefined;
}

export interface ModelOptions {
  readonly pages: number;
  readonly latencyMs?: number;
  /** By how much each way takes longer at random. */
  readonly jitterMs?: number;
  readonly exports: number;
  /** Of the jitter. @default 7 */
  readonly seed?: number;
}

const MAX_IN_FLIGHT = 16;
/** Time from the end of a wait to the first request of the next step. */
const STEP_MS = 100;
const PAUSE_BETWEEN_EXPORTS_MS = 2_000;
/** A longer wait is left to the queue, which counts in whole seconds. */
const MAX_IDLE_MS = 2_000;

/**
 * Exports of one connection, one after the other, in virtual time. Each step begins with what the gate
 * holds, as text, and ends with the first throttle, as in the worker.
 *
 * @param limiterOf Makes the API's limiter; two of them that are asked the same answer the same.
 */
export function modelExports(limiterOf: () => Limiter, options: ModelOptions): ModelledExport[] {
  const { pages, latencyMs = 20, exports } = options;
  const asked: number[] = [];
  const limiter = limiterOf();
  const recording: Limiter = (nowMs) => {
    asked.push(nowMs);
    return limiter(nowMs);
  };
  const clock = new VirtualClock();
  const done: ModelledExport[] = [];
  for (let index = 0; index < exports; index++) {
    const startMs = clock.now();
    const before = asked.length;
    const run = new ExportRun(recording, clock, done.at(-1)?.known, options);
    while (!run.isOver && clock.step());
    const idealMs = idealOf(limiterOf(), asked.slice(0, before), startMs, pages, latencyMs);
    done.push({ ...run.result(), wallMs: clock.now() - startMs, idealMs });
    clock.at(clock.now() + PAUSE_BETWEEN_EXPORTS_MS, () => undefined);
    clock.step();
  }
  return done;
}

class ExportRun {
  isOver = false;
  readonly #limiter: Limiter;
  readonly #clock: VirtualClock;
  readonly #options: ModelOptions;
  readonly #random: () => number;
  #pace: AdaptivePace;
  #text: string | undefined;
  #inFlight = 0;
  #answers = 0;
  #taken = 0;
  #requests = 0;
  #throttled = 0;
  #early = 0;
  #blockedUntilMs = 0;
  #isStopped = false;
  #cancelTimer = () => {};

  constructor(
    limiter: Limiter,
    clock: VirtualClock,
    known: GatePace | undefined,
    options: ModelOptions,
  ) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#options = options;
    this.#random = randomOf(options.seed ?? 7);
    this.#text = known === undefined ? undefined : gatePaceText(known);
    this.#pace = new AdaptivePace(parseGatePace(this.#text), 0);
    clock.at(clock.now(), () => this.#fill());
  }

  result(): Omit<ModelledExport, 'wallMs' | 'idealMs'> {
    const known = parseGatePace(this.#text);
    const [requests, throttled, early] = [this.#requests, this.#throttled, this.#early];
    return { requests, throttled, early, known };
  }

  #fill(): void {
    this.#cancelTimer();
    for (;;) {
      if (this.#isStopped) break;
      const mayBeUnderWay = this.#answers === 0 ? 1 : Math.min(MAX_IN_FLIGHT, this.#answers + 1);
      const isEnough = this.#taken + this.#inFlight >= this.#options.pages;
      if (isEnough || this.#inFlight >= mayBeUnderWay) return;
      const nowMs = this.#clock.now();
      const dueMs = Math.ceil(this.#pace.nextAtMs(nowMs));
      if (dueMs <= nowMs) this.#send();
      else {
        const isLong = dueMs - nowMs > MAX_IDLE_MS && this.#inFlight === 0;
        if (isLong) this.#nextStep(dueMs);
        else this.#cancelTimer = this.#clock.at(dueMs, () => this.#fill());
        return;
      }
    }
    if (this.#inFlight === 0) this.#nextStep(this.#blockedUntilMs);
  }

  #send(): void {
    const nowMs = this.#clock.now();
    const told = this.#pace.sent(nowMs);
    this.#requests++;
    this.#inFlight++;
    if (nowMs < this.#blockedUntilMs) this.#early++;
    this.#clock.at(nowMs + this.#wayMs(), () => {
      const admission = this.#limiter(this.#clock.now());
      this.#clock.at(this.#clock.now() + this.#wayMs(), () => {
        const atMs = this.#clock.now();
        this.#inFlight--;
        this.#answers++;
        if (admission.kind === 'admitted') {
          this.#taken++;
          told({ kind: 'admitted', atMs });
        } else {
          const { waitSeconds } = admission;
          this.#throttled++;
          this.#isStopped = true;
          this.#blockedUntilMs = Math.max(this.#blockedUntilMs, atMs + waitSeconds * 1000);
          told({ kind: 'throttled', waitSeconds, atMs });
        }
        this.#answered();
      });
    });
  }

  #answered(): void {
    if (this.#taken < this.#options.pages) {
      this.#fill();
      return;
    }
    this.#keep();
    this.#cancelTimer();
    this.isOver = true;
  }

  #nextStep(untilMs: number): void {
    this.#keep();
    const seconds = Math.ceil(Math.max(0, untilMs - this.#clock.now()) / 1000);
    this.#clock.at(this.#clock.now() + seconds * 1000 + STEP_MS, () => {
      this.#pace = new AdaptivePace(parseGatePace(this.#text), 0);
      this.#isStopped = false;
      this.#answers = 0;
      this.#fill();
    });
  }

  #keep(): void {
    const { known } = this.#pace;
    if (known !== undefined) this.#text = gatePaceText(known);
  }

  #wayMs(): number {
    const { latencyMs = 20, jitterMs = 3 } = this.#options;
    return latencyMs / 2 + this.#random() * jitterMs;
  }
}

function idealOf(
  limiter: Limiter,
  before: readonly number[],
  startMs: number,
  pages: number,
  latencyMs: number,
): number {
  for (const atMs of before) limiter(atMs);
  let nowMs = startMs + latencyMs / 2;
  let openMs = nowMs;
  for (let page = 1; page <= pages; ) {
    // To the millisecond, or to a thousandth of a long wait.
    if (limiter(nowMs).kind === 'throttled') nowMs += Math.max(1, (nowMs - openMs) / 1000);
    else {
      page++;
      openMs = nowMs;
      if (page <= pages) nowMs += latencyMs / MAX_IN_FLIGHT;
    }
  }
  return nowMs - startMs + latencyMs / 2;
}
