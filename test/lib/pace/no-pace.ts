import type { Pacer } from '../../../lib/pace/pacer.ts';

/** Keeps the waits that the API asks for, and no pace: right where throttles come by chance. */
export class NoPace implements Pacer {
  readonly lastAtMs = 0;
  readonly requestsPerSecond = undefined;
  readonly limit = undefined;
  readonly text = undefined;

  nextAtMs(nowMs: number): number {
    return nowMs;
  }

  burstAtMs(): undefined {
    return undefined;
  }

  sent(): () => void {
    return () => undefined;
  }

  spentElsewhere(): void {}
}
