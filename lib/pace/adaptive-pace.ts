import { defined } from '../defined.ts';
import { sinceChange, sinceFall, sinceThrottle, sinceThrottles } from './fallen-limit.ts';
import type { GatePace } from './gate-pace.ts';
import { type LearnedPace, laterTrial, NOTHING_LEARNED } from './learned-pace.ts';
import { likelyLimits } from './likely-limits.ts';
import {
  CLOCK_SET_BACK_MS,
  LOOK_AGAIN_MS,
  MIN_BURST,
  OVERTAKEN_JITTERS,
  periodMsOf,
  SHORT_WAIT_SECONDS,
  sustainedPerSecond,
} from './limit.ts';
import { gaugeOf, type LimitGauge } from './limit-gauge.ts';
import type { Answered, Pacer, SentRequest } from './pacer.ts';
import { type PlainLimit, plainLimit } from './plain-limit.ts';
import { logAdmitted, logBehind, logThrottled } from './request-log.ts';
import { type Sent, SentRequests } from './sent-requests.ts';
import { StatedLimit } from './stated-limit.ts';
import {
  dueTrial,
  hasShown,
  keptLimits,
  likelyWindow,
  notRisen,
  spentTrial,
  triedWindow,
} from './trial.ts';

/** A throttle without a stated wait shows nothing about the length of a window. */
const UNTOLD_WAIT_SECONDS = 1;
/** A wait further ahead was stored before the clock was set back. */
const MAX_PLAUSIBLE_WAIT_MS = 86_400_000;

/** A new answer counts as much for the latency; the first ones count more. */
const LATENCY_ANSWERS = 50;

/** Such a share of the latency is taken for the jitter until answers have shown how much they differ. */
const JITTER_AT_FIRST = 0.1;

/** The longest time between two requests that counts as sending. */
const MAX_GAP_MS = 1_000;
/** The rate is weighed anew after so long without a throttle, and then after half as long again. */
const FIRST_LOOK_MS = 2_000;
const NEXT_LOOK = 1.5;
/** What has fallen may rise again soon: the first trial comes after so long, if it costs a second. */
const FALLEN_TRIAL_MS = 8_000;

/** For so long after a request of others a trial may throttle them too. */
const SHARED_MS = 10_000;

type Throttled = Extract<Answered, { kind: 'throttled' }>;

/** Sends requests as fast as the most likely limit admits them, and learns it from every answer. */
export class AdaptivePace implements Pacer {
  #learned: LearnedPace;
  #gauges: readonly LimitGauge[];
  readonly #stated: StatedLimit;
  readonly #sent = new SentRequests();
  #lastAtMs: number;
  #answers: number;
  #lookAfterMs: number;
  #tookMs: number | undefined;
  /** Whether a throttle is not weighed yet. */
  #isNew = false;
  /** Whether the latest throttle was that of a window on trial, and shows nothing new. */
  #isExpected = false;
  #isByChance = false;
  /** Until it is answered, nothing else is sent. */
  #alone: Sent | undefined;
  /** The latest request of others. */
  #othersAtMs = Number.NEGATIVE_INFINITY;

  /** @param lastAtMs When the latest request was sent, also by an earlier step. */
  constructor(known: GatePace | undefined, lastAtMs: number) {
    this.#learned = known?.learned ?? NOTHING_LEARNED;
    this.#stated = new StatedLimit(known?.stated, this.#learned.line.jitterMs);
    this.#lastAtMs = Math.max(lastAtMs, this.#learned.log.at(-1)?.toMs ?? 0);
    // An earlier step has measured the latency.
    this.#answers = this.#learned.line.latencyMs > 0 ? LATENCY_ANSWERS : 0;
    this.#lookAfterMs = Math.max(FIRST_LOOK_MS, this.#learned.calmMs * NEXT_LOOK);
    this.#gauges = this.#newGauges();
  }

  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  get requestsPerSecond(): number | undefined {
    this.#settle();
    const rates = this.#gauges.flatMap(({ limit }) =>
      limit.kind === 'bucket' ? [limit.perSecond] : [],
    );
    const stated = this.#stated.requestsPerSecond;
    const all = stated === undefined ? rates : [...rates, stated];
    return all.length === 0 ? undefined : Math.min(...all);
  }

  get isByChance(): boolean {
    this.#settle();
    return this.#isByChance;
  }

  /** Of the current rate, which may be tried or stated. */
  get limit(): PlainLimit | undefined {
    const { requestsPerSecond: current } = this;
    const learned = plainLimit({
      learned: this.#learned,
      ...defined({ stated: this.#stated.known }),
    });
    if (current === undefined) return learned;
    if (learned?.kind !== 'bucket') return { kind: 'bucket', requestsPerSecond: current, burst: 1 };
    if (this.#learned.trial !== undefined) return { ...learned, requestsPerSecond: current };
    return { ...learned, requestsPerSecond: Math.min(current, learned.requestsPerSecond) };
  }

  /** The pace for the gate; `undefined` until the first answer. */
  get known(): GatePace | undefined {
    this.#settle();
    const { log, limits } = this.#learned;
    if (log.length === 0 && this.#answers === 0) return undefined;
    const [limit] = limits;
    const requestsPerSecond = limit === undefined ? undefined : sustainedPerSecond(limit);
    const isWindow = limit !== undefined && 'periodMs' in limit;
    const kind = isWindow ? 'window' : (limit?.kind ?? 'none');
    const { known: stated } = this.#stated;
    return { v: 2, limit: kind, ...defined({ requestsPerSecond, stated }), learned: this.#learned };
  }

  nextAtMs(nowMs: number): number {
    this.#settle();
    if (nowMs < this.#lastAtMs - CLOCK_SET_BACK_MS) this.#countAnew(nowMs);
    const { blockedUntilMs } = this.#learned;
    const isPlausible = blockedUntilMs - nowMs <= MAX_PLAUSIBLE_WAIT_MS;
    const openAtMs = Math.max(nowMs, isPlausible ? blockedUntilMs : 0);
    const { count, waiting } = this.#sent;
    const dues = this.#duesAtMs(nowMs);
    if (this.#alone !== undefined && this.#alone.answered === undefined) {
      dues.push(nowMs + LOOK_AGAIN_MS);
    }
    return Math.max(openAtMs, this.#stated.dueAtMs(nowMs, count, waiting), ...dues);
  }

  burstAtMs(nowMs: number): number | undefined {
    this.#settle();
    const isBurst = this.#gauges.some(
      ({ limit }) => 'periodMs' in limit && limit.requests >= MIN_BURST,
    );
    return isBurst || this.#stated.isBurst ? this.nextAtMs(nowMs) : undefined;
  }

  sent(nowMs: number): SentRequest {
    const gapMs = nowMs - this.#lastAtMs;
    const isIdle = this.#sent.underWay === 0;
    const isAlone = isIdle && this.#alone === undefined && this.#isWindowUnsure;
    const sendingMs = gapMs < MAX_GAP_MS ? gapMs : Math.min(gapMs, this.#heldMs);
    const calmMs = this.#learned.calmMs + Math.max(0, sendingMs);
    this.#learned = { ...this.#learned, calmMs };
    this.#lastAtMs = nowMs;
    const isTry = this.#stated.send(nowMs, this.#sent.count, this.#sent.waiting);
    const sent = this.#sent.add(nowMs);
    if (isAlone) this.#alone = sent;
    else if (!isIdle) this.#alone = undefined;
    let number: number | undefined;
    if (sent.isSpent) number = this.#spend(nowMs);
    else for (const gauge of this.#gauges) gauge.wait?.(nowMs);
    return {
      left: (atMs) => {
        if (this.#sent.left(sent, atMs)) number = this.#spend(atMs);
      },
      answered: (answered) => {
        this.#sent.answer(sent, answered);
        const { underWay } = this.#sent;
        const asked = { number, isTry, atMs: sent.atMs, underWay };
        sent.isExplained = this.#stated.answered(answered, asked, this.#learned.line.jitterMs);
        this.#learnInOrder();
      },
    };
  }

  spentElsewhere(count: number, atMs: number): void {
    this.#othersAtMs = atMs;
    for (let each = 0; each < count; each++) {
      this.#spend(atMs);
      this.#sent.addElsewhere(atMs);
    }
    this.#learnInOrder();
  }

  /** The limit is kept by all together, so a trial of a higher one has failed. */
  throttledElsewhere(): void {
    const before = this.#learned;
    this.#failTrial();
    if (this.#learned !== before) this.#gauges = this.#newGauges();
  }

  /** @returns The number of the request. */
  #spend(atMs: number): number {
    for (const gauge of this.#gauges) gauge.spend(atMs);
    this.#learned = { ...this.#learned, trial: spentTrial(this.#learned, atMs) };
    return this.#stated.spend(atMs);
  }

  #measure({ atMs }: Sent, answered: Answered): void {
    if (answered.kind !== 'admitted') {
      this.#tookMs = undefined;
      return;
    }
    this.#answers++;
    const { line } = this.#learned;
    const share = 1 / Math.min(this.#answers, LATENCY_ANSWERS);
    const tookMs = answered.atMs - atMs;
    const latencyMs = line.latencyMs + (tookMs - line.latencyMs) * share;
    // Against the one before: a queue at this processor grows slowly.
    const unseenMs = this.#answers === 1 ? JITTER_AT_FIRST * tookMs : line.jitterMs;
    const offMs = this.#tookMs === undefined ? unseenMs : 1.5 * Math.abs(tookMs - this.#tookMs);
    this.#tookMs = tookMs;
    const jitterMs = line.jitterMs + (offMs - line.jitterMs) * share;
    this.#learned = { ...this.#learned, line: { latencyMs, jitterMs } };
  }

  #learnInOrder(): void {
    for (;;) {
      const { first } = this.#sent;
      if (first?.answered === undefined) break;
      const { answered, atMs } = first;
      const isNew = atMs >= this.#learned.blockedUntilMs;
      if (answered.kind === 'throttled') {
        const atOnce = isNew ? this.#learnOvertaking(first) : first.atOnce;
        if (atOnce === undefined) break;
        this.#learnThrottled({ ...first, atOnce }, answered, isNew);
      } else if (answered.kind === 'admitted' && isNew) this.#admit(first, first.atOnce);
      if (!first.isElsewhere) {
        if (!isNew && answered.kind !== 'other') {
          this.#learnBehind(atMs, answered.kind === 'admitted');
        }
        this.#measure(first, answered);
      }
      this.#sent.remove(first);
    }
    if (!this.#isNew) this.#lookAgain();
  }

  #learnBehind(atMs: number, isAdmitted: boolean): void {
    const { log, line } = this.#learned;
    const fromMs = atMs - OVERTAKEN_JITTERS * line.jitterMs;
    const behind = logBehind(log, fromMs, isAdmitted);
    this.#isNew ||= behind !== log && !this.#isExpected;
    this.#learned = { ...this.#learned, log: behind };
  }

  /** All that was under way behind a throttle tells of it, so what is likely is asked for when it is needed. */
  #settle(): void {
    if (!this.#isNew) return;
    this.#isNew = false;
    this.#relearn();
  }

  /**
   * A request that was sent a little later and admitted has overtaken the throttled one: it belongs before it.
   *
   * @returns How many ran with it; `undefined` until all of them are answered.
   */
  #learnOvertaking({ atMs, atOnce }: Sent): number | undefined {
    const untilMs = atMs + OVERTAKEN_JITTERS * this.#learned.line.jitterMs;
    const later = this.#sent.behindFirst(untilMs);
    if (later.some(({ answered }) => answered === undefined)) return undefined;
    const overtaking = later.filter(({ answered }) => answered?.kind === 'admitted');
    for (const [index, each] of overtaking.entries()) {
      this.#admit({ ...each, atMs }, atOnce + index);
      this.#sent.remove(each);
    }
    return atOnce + overtaking.length;
  }

  #admit({ atMs, isElsewhere }: Sent, atOnce: number): void {
    const log = logAdmitted(this.#learned.log, atMs, atOnce, isElsewhere);
    this.#learned = { ...this.#learned, log };
  }

  #learnThrottled({ atMs, atOnce, isExplained }: Sent, answered: Throttled, isNew: boolean): void {
    const { waitSeconds = UNTOLD_WAIT_SECONDS, atMs: answeredAtMs } = answered;
    const endMs = answeredAtMs + waitSeconds * 1000;
    const blockedUntilMs = Math.max(this.#learned.blockedUntilMs, endMs);
    this.#learned = { ...this.#learned, blockedUntilMs };
    // Tries of our own, after waits of our own, are no sign of a long window.
    const isAgain = this.#learned.log.at(-1)?.throttle !== undefined;
    if (!isNew || isExplained || (isAgain && answered.waitSeconds === undefined)) return;
    const shared = notRisen(this.#learned);
    const log = logThrottled(this.#learned.log, { atMs, atOnce, waitSeconds });
    this.#isExpected = shared !== undefined;
    if (shared !== undefined) {
      // Of a window that has risen no throttle is known yet.
      const isFirst = this.#learned.log.every(({ throttle }) => throttle === undefined);
      this.#learned = { ...this.#learned, shared, ...(isFirst && { log }) };
      this.throttledElsewhere();
      return;
    }
    this.#failTrial();
    this.#isNew = true;
    this.#learned = { ...this.#learned, log, calmMs: 0 };
  }

  #failTrial(): void {
    const likely = likelyWindow(this.#learned);
    if (this.#learned.trial === undefined && likely === undefined) return;
    const [, ...others] = this.#learned.limits;
    const kept = likely && { limits: [likely, ...others], shared: undefined };
    const trialAfterMs = laterTrial(this.#learned);
    this.#learned = { ...this.#learned, ...kept, calmMs: 0, trialAfterMs, trial: undefined };
  }

  /**
   * Whether a window is kept that the API has not said to be open now. The first request of it shows that, alone: else all
   * that fit under way would be throttled with it.
   */
  get #isWindowUnsure(): boolean {
    const shortMs = SHORT_WAIT_SECONDS * 1000;
    if (this.#learned.blockedUntilMs > this.#lastAtMs + shortMs) return false;
    return this.#gauges.some(({ limit }) => periodMsOf(limit) > shortMs);
  }

  get #isShared(): boolean {
    return this.#lastAtMs < this.#othersAtMs + SHARED_MS;
  }

  /** What is likely depends on the throttles alone; what is worth trying, on the time since then too. */
  #lookAgain(): void {
    const { limits, calmMs, trial } = this.#learned;
    const [limit] = limits;
    if (limit === undefined) return;
    if (trial !== undefined) {
      if (hasShown(this.#learned)) this.#endTrial();
      return;
    }
    const isLate = calmMs > this.#lookAfterMs;
    const due = dueTrial(this.#learned, this.#isShared, this.#lastAtMs);
    if (due !== undefined) {
      this.#learned = { ...this.#learned, trial: due };
      this.#gauges = this.#newGauges();
    } else if ('periodMs' in limit) {
      // A rate beside it is weighed anew too.
      const hasRate = limits.some(({ kind }) => kind === 'bucket');
      const isDue = hasRate && isLate && likelyWindow(this.#learned) === undefined;
      if (isDue || (calmMs > 0 && this.#gauges.some(({ isTry }) => isTry))) this.#relearn();
      this.#tryWindow();
    } else if (isLate) this.#relearn();
  }

  /** For how long the limits hold back the next request: nothing could be sent. */
  get #heldMs(): number {
    return Math.max(0, ...this.#duesAtMs(this.#lastAtMs).map((dueMs) => dueMs - this.#lastAtMs));
  }

  #duesAtMs(nowMs: number): number[] {
    const { count, waiting } = this.#sent;
    return this.#gauges.map((each) => each.dueAtMs(nowMs, count, waiting));
  }

  #tryWindow(): void {
    const tried = triedWindow(this.#learned, this.#heldMs);
    if (tried === undefined) return;
    this.#learned = tried;
    this.#gauges = this.#newGauges();
  }

  #relearn(): void {
    const { log: all, line, calmMs } = this.#learned;
    this.#lookAfterMs = Math.max(FIRST_LOOK_MS, calmMs * NEXT_LOOK);
    if (!all.some(({ throttle }) => throttle !== undefined)) return;
    const before = likelyLimits(all, line, calmMs);
    // What no rate explains may be two limits, one after the other.
    const [{ kind } = { kind: 'at-once' }] = before.limits;
    const { perSecond } =
      kind === 'at-once' ? likelyLimits(sinceThrottles(all), line, calmMs) : before;
    const { changedAt = -1, score } = before;
    const fallen =
      sinceFall(all, perSecond) ?? sinceThrottle(all, changedAt) ?? sinceChange(all, score, line);
    const log = fallen ?? all;
    const found = fallen === undefined ? before : likelyLimits(fallen, line, calmMs);
    const { limits, shared, isByChance = false } = found;
    this.#isByChance = isByChance;
    const trialAfterMs = fallen === undefined ? this.#learned.trialAfterMs : FALLEN_TRIAL_MS;
    this.#learned = { ...this.#learned, log, limits, shared, trialAfterMs };
    this.#gauges = this.#newGauges();
  }

  /** The clock was set back: what was counted seems to lie ahead, and would hold up everything until then. */
  #countAnew(nowMs: number): void {
    this.#lastAtMs = nowMs;
    this.#learned = { ...this.#learned, log: [] };
    const { log, line } = this.#learned;
    this.#gauges = keptLimits(this.#learned).map((limit) => gaugeOf(limit, log, line));
  }

  /** The limit has risen: what is known of it is over. */
  #endTrial(): void {
    const { line, blockedUntilMs } = this.#learned;
    this.#learned = { ...NOTHING_LEARNED, line, blockedUntilMs };
    this.#gauges = [];
  }

  #newGauges(): readonly LimitGauge[] {
    const { log, line } = this.#learned;
    const gauges = keptLimits(this.#learned).map((limit) => gaugeOf(limit, log, line));
    for (const gauge of gauges) {
      for (const { atMs, isSpent } of this.#sent.all) if (isSpent) gauge.spend(atMs);
    }
    return gauges;
  }
}
