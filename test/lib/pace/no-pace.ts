import type { Pacer, SentRequest } from '../../../lib/pace/pacer.ts';

/** Keeps the waits that the API asks for, and no pace: right where throttles come by chance. */
export class NoPace implements Pacer {
  readonly lastAtMs = 0;
  readonly requestsPerSecond = undefined;
  readonly limit = undefined;
  readonly text = undefined;
  readonly isByChance: boolean;
  readonly #atOnce: number;
  #underWay = 0;

  /** @param atOnce Requests that may run at the same time. */
  constructor(atOnce = Number.POSITIVE_INFINITY) {
    this.#atOnce = atOnce;
    this.isByChance = atOnce === Number.POSITIVE_INFINITY;
  }

  nextAtMs(nowMs: number): number {
    return this.#underWay < this.#atOnce ? nowMs : nowMs + 50;
  }

  burstAtMs(): undefined {
    return undefined;
  }

  sent(): SentRequest {
    this.#underWay++;
    const answered = () => {
      this.#underWay--;
    };
    return { left: () => undefined, answered };
  }

  spentElsewhere(): void {}

  throttledElsewhere(): void {}
}
