import type { Answered, Pacer, SentRequest } from '../../../lib/pace/pacer.ts';

/** After a throttle so much of the rate is left. */
const DECREASE = 0.8;
/** Of a throttle that comes this soon after another one: the limit is far lower, or has changed. */
const CHANGED_DECREASE = 0.5;
const SOON_MS = 3_000;
/** The rate grows by this share a second, ten times as fast far below the latest throttled rate. */
const INCREASE = 0.005;
const FAR_BELOW = 0.7;
/** Before the first throttle. */
const UNKNOWN = 2_000;

interface State {
  readonly perSecond: number;
  readonly throttledPerSecond: number;
  readonly throttledAtMs: number;
}

/** The other shape that was tried for the learner: additive increase, multiplicative decrease, and change detection. */
export class AimdPace implements Pacer {
  readonly limit = undefined;
  #state: State;
  #lastAtMs = 0;

  constructor(text: string | undefined) {
    this.#state =
      text === undefined
        ? { perSecond: UNKNOWN, throttledPerSecond: UNKNOWN, throttledAtMs: 0 }
        : JSON.parse(text);
  }

  get lastAtMs(): number {
    return this.#lastAtMs;
  }

  get text(): string {
    return JSON.stringify(this.#state);
  }

  get requestsPerSecond(): number | undefined {
    return this.#state.perSecond === UNKNOWN ? undefined : this.#state.perSecond;
  }

  nextAtMs(nowMs: number): number {
    const { perSecond } = this.#state;
    return perSecond === UNKNOWN ? nowMs : Math.max(nowMs, this.#lastAtMs + 1000 / perSecond);
  }

  burstAtMs(): undefined {
    return undefined;
  }

  sent(nowMs: number): SentRequest {
    const passedMs = Math.min(1_000, nowMs - this.#lastAtMs);
    const { perSecond, throttledPerSecond } = this.#state;
    this.#lastAtMs = nowMs;
    if (perSecond < UNKNOWN) {
      const factor = perSecond < throttledPerSecond * FAR_BELOW ? 10 : 1;
      const grown = perSecond * (1 + (INCREASE * factor * passedMs) / 1000);
      this.#state = { ...this.#state, perSecond: grown };
    }
    const beganMs = nowMs;
    const answered = (answer: Answered) => {
      if (answer.kind === 'throttled') this.#throttled(beganMs, answer.atMs);
    };
    return { left: () => undefined, answered };
  }

  spentElsewhere(): void {}

  throttledElsewhere(): void {}

  #throttled(sentAtMs: number, atMs: number): void {
    const { perSecond, throttledAtMs } = this.#state;
    if (sentAtMs < throttledAtMs) return;
    const isSoon = sentAtMs - throttledAtMs < SOON_MS;
    const known = Math.min(perSecond, 200);
    const next = Math.max(0.05, known * (isSoon ? CHANGED_DECREASE : DECREASE));
    this.#state = { perSecond: next, throttledPerSecond: known, throttledAtMs: atMs };
  }
}
