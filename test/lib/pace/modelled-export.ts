import { randomOf } from '../../../infra/simulator/random.ts';
import { MAX_CARRIED_MS } from '../../../lib/exports/carried-pages.ts';
import { PagesInFlight } from '../../../lib/exports/pages-in-flight.ts';
import { AdaptivePace } from '../../../lib/pace/adaptive-pace.ts';
import { type GatePace, gatePaceText, parseGatePace } from '../../../lib/pace/gate-pace.ts';
import type { Answered, Pacer } from '../../../lib/pace/pacer.ts';
import { VirtualClock } from '../../faults/virtual-clock.ts';
import { NoPace } from './no-pace.ts';
import type { ModelledAdmission, ModelledLimiter } from './realistic-limits.ts';

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

/** A learner: what it knows survives a step as text. */
type ModelledPacer = Pacer & { readonly text: string | undefined };

export interface ModelOptions {
  readonly pages: number;
  readonly latencyMs?: number;
  /** By how much each way takes longer at random. */
  readonly jitterMs?: number;
  /** So many latencies a connection takes that is made for a request. @default 0 */
  readonly connectLatencies?: number;
  /** Whether the learner is told when requests leave. @default true */
  readonly tellsLeaving?: boolean;
  readonly exports: number;
  /** Since midnight. @default 0 */
  readonly startMs?: number;
  /** Of the jitter. @default 7 */
  readonly seed?: number;
  /** @default the learner of lib/pace */
  readonly pacerOf?: (text: string | undefined) => ModelledPacer;
}

/** Processor time of a page of 100 customers (docs/performance.md): answers are taken one after the other. */
const PAGE_MS = 1.25;
const PAGE_BYTES = 60_000;
/** Time from the end of a wait to the first request of the next step. */
const STEP_MS = 100;
const PAUSE_BETWEEN_EXPORTS_MS = 2_000;
const MIDNIGHT_MS = Date.UTC(2026, 0, 1);
/** As in lib/exports/fetch-pages.ts: a longer wait is left to the queue, which counts in whole seconds. */
const MAX_IDLE_MS = 10_000;
const MAX_IDLE_BEFORE_BURST_MS = 2_000;
const MAX_AHEAD = 2;

/**
 * Exports of one connection, one after the other, in virtual time. Each step begins with what the gate
 * holds, as text, and ends with the first throttle, as in the worker: what came behind it is carried to the next one.
 *
 * @param limiterOf Makes the API's limiter; two of them that are asked the same answer the same.
 */
export function modelExports(
  limiterOf: () => ModelledLimiter,
  options: ModelOptions,
): ModelledExport[] {
  const { pages, latencyMs = 20, connectLatencies = 0, exports } = options;
  const asked: number[] = [];
  const limiter = limiterOf();
  const recording: ModelledLimiter = {
    ...limiter,
    ask: (nowMs) => {
      asked.push(nowMs);
      return limiter.ask(nowMs);
    },
  };
  const clock = new VirtualClock(MIDNIGHT_MS + (options.startMs ?? 0));
  const done: ModelledExport[] = [];
  let text: string | undefined;
  for (let index = 0; index < exports; index++) {
    const startMs = clock.now();
    const before = asked.length;
    const run = new ExportRun(recording, clock, text, {
      ...options,
      seed: (options.seed ?? 7) + index * 1_000,
    });
    while (!run.isOver && clock.step());
    const wallMs = clock.now() - startMs;
    text = run.text;
    const knowing = pacerKnowing(limiter);
    const idealMs =
      knowing === undefined
        ? connectLatencies * latencyMs +
          idealOf(limiterOf(), asked.slice(0, before), startMs, pages, latencyMs)
        : idealRun(limiterOf, limiter.isByChance ? asked.slice(0, before) : [], options, knowing);
    done.push({ ...run.result(), wallMs, idealMs });
    clock.at(clock.now() + PAUSE_BETWEEN_EXPORTS_MS, () => undefined);
    clock.step();
  }
  return done;
}

interface UnderWay {
  /** To be asked for again, when the wait is over. */
  isMissing?: boolean;
  outcome?: ModelledAdmission['kind'];
}

class ExportRun {
  isOver = false;
  readonly #limiter: ModelledLimiter;
  readonly #clock: VirtualClock;
  readonly #options: ModelOptions;
  readonly #random: () => number;
  #pace: ModelledPacer;
  #text: string | undefined;
  #pagesInFlight = new PagesInFlight(undefined);
  #underWay: UnderWay[] = [];
  #taken = 0;
  #requests = 0;
  #throttled = 0;
  #early = 0;
  #blockedUntilMs = 0;
  #connections = 0;
  #hasPage = false;
  #processorFreeMs = 0;
  #busyMs = 0;
  #cancelTimer = () => {};

  constructor(
    limiter: ModelledLimiter,
    clock: VirtualClock,
    text: string | undefined,
    options: ModelOptions,
  ) {
    this.#limiter = limiter;
    this.#clock = clock;
    this.#options = options;
    this.#random = randomOf(options.seed ?? 7);
    this.#text = text;
    this.#pace = this.#newPace();
    clock.at(clock.now(), () => this.#fill());
  }

  result(): Omit<ModelledExport, 'wallMs' | 'idealMs'> {
    const [requests, throttled, early] = [this.#requests, this.#throttled, this.#early];
    return { requests, throttled, early, known: parseGatePace(this.#text) };
  }

  get text(): string | undefined {
    return this.#text;
  }

  #newPace(): ModelledPacer {
    const { pacerOf = (text) => new LearnedFromText(text) } = this.#options;
    return pacerOf(this.#text);
  }

  get #isStopped(): boolean {
    return this.#underWay.some(({ outcome }) => outcome === 'throttled');
  }

  /** Without an answer. */
  get #running(): number {
    const isRunning = ({ outcome, isMissing }: UnderWay) =>
      outcome === undefined && isMissing !== true;
    return this.#underWay.filter(isRunning).length;
  }

  #fill(): void {
    this.#cancelTimer();
    for (;;) {
      // Nothing is sent behind what is no page, until all that is under way is answered.
      if (this.#isStopped) {
        if (this.#running > 0) return;
        this.#takeHead();
        this.#nextStep(this.#blockedUntilMs, true);
        return;
      }
      const place = this.#nextPlace();
      const most = this.#pagesInFlight.limit(this.#pace.requestsPerSecond);
      const isEnough = this.#taken + place >= this.#options.pages || place >= most * MAX_AHEAD;
      if (isEnough || this.#running >= most) return;
      const nowMs = this.#clock.now();
      const dueMs = Math.ceil(Math.max(this.#pace.nextAtMs(nowMs), this.#blockedUntilMs));
      if (dueMs <= nowMs) this.#send();
      else {
        const burstMs = this.#pace.burstAtMs(nowMs);
        const mostMs = burstMs === undefined ? MAX_IDLE_MS : MAX_IDLE_BEFORE_BURST_MS;
        const isLong = dueMs - nowMs > mostMs && this.#running === 0;
        if (isLong) this.#nextStep(burstMs ?? dueMs, false);
        else this.#cancelTimer = this.#clock.at(dueMs, () => this.#fill());
        return;
      }
    }
  }

  #nextPlace(): number {
    const place = this.#underWay.findIndex(({ isMissing }) => isMissing);
    return place < 0 ? this.#underWay.length : place;
  }

  #send(): void {
    const nowMs = this.#clock.now();
    const { left, answered: told } = this.#pace.sent(nowMs);
    const over = this.#pagesInFlight.sent(nowMs);
    this.#requests++;
    const entry: UnderWay = {};
    this.#underWay[this.#nextPlace()] = entry;
    if (nowMs < this.#blockedUntilMs) this.#early++;
    const { latencyMs = 20, connectLatencies = 0, tellsLeaving = true } = this.#options;
    const { outShare = 0.5 } = this.#limiter;
    const isConnected = this.#running <= this.#connections;
    this.#connections = Math.max(this.#connections, this.#running);
    const leftAtMs = nowMs + (isConnected ? 0 : connectLatencies * latencyMs);
    if (tellsLeaving) {
      if (isConnected) left(nowMs);
      else this.#clock.at(leftAtMs, () => left(leftAtMs));
    }
    this.#clock.at(leftAtMs + this.#wayMs(latencyMs * outShare), () => {
      const admission = this.#limiter.ask(this.#clock.now());
      const rateLimit = this.#limiter.told?.(this.#clock.now());
      const answeredMs = this.#clock.now() + this.#wayMs(latencyMs * (1 - outShare));
      this.#clock.at(answeredMs, () => {
        // The processor takes one page after the other.
        const fromMs = Math.max(this.#processorFreeMs, this.#clock.now());
        const pageMs = admission.kind === 'admitted' ? PAGE_MS : 0;
        this.#processorFreeMs = fromMs + pageMs;
        this.#busyMs += pageMs;
        this.#clock.at(this.#processorFreeMs, () =>
          this.#answered(entry, admission, (answered) => told({ ...answered, rateLimit }), over),
        );
      });
    });
  }

  #answered(
    entry: UnderWay,
    admission: ModelledAdmission,
    told: (answered: Exclude<Answered, { kind: 'other' }>) => void,
    over: ReturnType<PagesInFlight['sent']>,
  ): void {
    const atMs = this.#clock.now();
    entry.outcome = admission.kind;
    const isPage = admission.kind === 'admitted';
    this.#hasPage ||= isPage;
    over(atMs, isPage ? PAGE_BYTES : 0, this.#busyMs);
    if (isPage) told({ kind: 'admitted', atMs });
    else {
      const { waitSeconds } = admission;
      this.#throttled++;
      this.#blockedUntilMs = Math.max(this.#blockedUntilMs, atMs + waitSeconds * 1000);
      told({ kind: 'throttled', waitSeconds, atMs });
    }
    if (!this.#isStopped) this.#takeHead();
    if (this.#taken < this.#options.pages) {
      this.#fill();
      return;
    }
    this.#keep();
    this.#cancelTimer();
    this.isOver = true;
  }

  /** Pages count in their order: what comes behind a throttled one is asked for again. */
  #takeHead(): void {
    while (this.#underWay[0]?.outcome === 'admitted') {
      this.#underWay.shift();
      this.#taken++;
    }
  }

  #nextStep(untilMs: number, isThrottled: boolean): void {
    this.#keep();
    // What is left of a pace after the queue's whole seconds is waited for in the step.
    const restSeconds = Math.max(0, untilMs - this.#clock.now()) / 1000;
    const seconds = isThrottled ? Math.ceil(restSeconds) : Math.floor(restSeconds);
    const isCarried = seconds * 1000 <= MAX_CARRIED_MS;
    this.#underWay = (isCarried ? this.#underWay : []).map((each) =>
      each.outcome === 'admitted' ? each : { isMissing: true },
    );
    const atOnce =
      isThrottled && this.#pace.isByChance === true
        ? this.#pagesInFlight.limitAfterChance()
        : this.#pagesInFlight.limit(this.#pace.requestsPerSecond);
    this.#clock.at(this.#clock.now() + seconds * 1000 + STEP_MS, () => {
      this.#pace = this.#newPace();
      this.#pagesInFlight = new PagesInFlight(undefined, this.#hasPage ? atOnce : 1);
      this.#hasPage = false;
      this.#fill();
    });
  }

  #keep(): void {
    this.#text = this.#pace.text ?? this.#text;
  }

  #wayMs(meanMs: number): number {
    const { jitterMs = 3 } = this.#options;
    return meanMs + this.#random() * jitterMs;
  }
}

/** The learner of lib/pace, as text between two steps. */
class LearnedFromText extends AdaptivePace {
  constructor(text: string | undefined) {
    super(parseGatePace(text), 0);
  }

  get text(): string | undefined {
    return this.known === undefined ? undefined : gatePaceText(this.known);
  }
}

/** Who knows that throttles come by chance keeps no pace at all, or how many requests may run at the same time. */
function pacerKnowing({ isByChance, atOnce }: ModelledLimiter): (() => ModelledPacer) | undefined {
  if (isByChance) return () => new NoPace();
  return atOnce === undefined ? undefined : () => new NoPace(atOnce);
}

/** The same export with the pacer of one who knows. */
function idealRun(
  limiterOf: () => ModelledLimiter,
  before: readonly number[],
  options: ModelOptions,
  pacerOf: () => ModelledPacer,
): number {
  const limiter = limiterOf();
  for (const atMs of before) limiter.ask(atMs);
  const clock = new VirtualClock();
  const startMs = clock.now();
  const run = new ExportRun(limiter, clock, undefined, { ...options, pacerOf });
  while (!run.isOver && clock.step());
  return clock.now() - startMs;
}

/** Sends each request as soon as it is admitted and the processor can take the page, the first one alone. */
function idealOf(
  limiter: ModelledLimiter,
  before: readonly number[],
  startMs: number,
  pages: number,
  latencyMs: number,
): number {
  for (const atMs of before) limiter.ask(atMs);
  const { outShare = 0.5 } = limiter;
  const outMs = latencyMs * outShare;
  let nowMs = startMs + outMs;
  let openMs = nowMs;
  const admittedMs: number[] = [];
  while (admittedMs.length < pages) {
    // To the millisecond, or to a thousandth of a long wait.
    if (limiter.ask(nowMs).kind === 'throttled') {
      nowMs += Math.max(1, (nowMs - openMs) / 1000);
    } else {
      admittedMs.push(nowMs);
      openMs = nowMs;
      if (admittedMs.length < pages) nowMs += admittedMs.length === 1 ? latencyMs : PAGE_MS;
    }
  }
  return nowMs - startMs + latencyMs - outMs + PAGE_MS;
}
