import { SharedClock } from '../../lib/gate/shared-clock.ts';
import type { VirtualClock } from './virtual-clock.ts';
import type { Worker } from './worker.ts';

/** How far the clocks of workers are ahead: each has the next one of these. @default - all agree */
export type ClocksAheadMs = readonly number[] | undefined;

/** The clock of one function, and its calls of the ledger, which tells its own time in whole seconds. */
export class WorkerClock {
  readonly shared: SharedClock;
  readonly #clock: VirtualClock;
  readonly #worker: Worker;
  readonly #aheadMs: number;

  constructor(clock: VirtualClock, worker: Worker, index: number, aheadMs: ClocksAheadMs) {
    this.#clock = clock;
    this.#worker = worker;
    this.#aheadMs = aheadMs?.[index % aheadMs.length] ?? 0;
    this.shared = new SharedClock(() => this.#machineNow());
  }

  readonly call = async <T>(name: string, effect: () => T | Promise<T>): Promise<T> => {
    const sentAtMs = this.#machineNow();
    let dateMs = 0;
    const result = await this.#worker.call(name, () => {
      dateMs = Math.floor(this.#clock.now() / 1000) * 1000;
      return effect();
    });
    this.shared.heard(dateMs, sentAtMs, this.#machineNow());
    return result;
  };

  #machineNow(): number {
    return this.#clock.now() + this.#aheadMs;
  }
}
