import type { WakeUp } from '../../lib/exports/ports.ts';
import type { VirtualClock } from '../faults/virtual-clock.ts';

export interface QueuedMessage {
  readonly group: string;
  readonly wakeUp: WakeUp;
  readonly visibleAtMs: number;
}

/**
 * A fair queue of SQS as its developer guide describes it: among the visible messages those of the groups with
 * the fewest messages in flight are delivered first, the oldest of them first.
 */
export class FairQueue {
  readonly #clock: VirtualClock;
  readonly #onVisible: () => void;
  readonly #visible = new Map<string, QueuedMessage[]>();
  readonly #inFlight = new Map<string, number>();

  constructor(clock: VirtualClock, onVisible: () => void) {
    this.#clock = clock;
    this.#onVisible = onVisible;
  }

  send(wakeUp: WakeUp, delaySeconds: number): void {
    const visibleAtMs = this.#clock.now() + delaySeconds * 1000;
    this.#clock.at(visibleAtMs, () => {
      const group = wakeUp.connection;
      const waiting = this.#visible.get(group) ?? [];
      waiting.push({ group, wakeUp, visibleAtMs });
      this.#visible.set(group, waiting);
      this.#onVisible();
    });
  }

  receive(): QueuedMessage | undefined {
    let best: QueuedMessage | undefined;
    for (const [oldest] of this.#visible.values()) {
      if (oldest !== undefined && (best === undefined || this.#isFirst(oldest, best)))
        best = oldest;
    }
    if (best === undefined) return undefined;
    const { group } = best;
    const waiting = this.#visible.get(group) ?? [];
    waiting.shift();
    if (waiting.length === 0) this.#visible.delete(group);
    this.#inFlight.set(group, this.#inFlightOf(group) + 1);
    return best;
  }

  /** Deletes the message, or brings it back after the visibility timeout. */
  done({ group, wakeUp }: QueuedMessage, backAfterSeconds: number | undefined): void {
    this.#inFlight.set(group, this.#inFlightOf(group) - 1);
    if (backAfterSeconds !== undefined) this.send(wakeUp, backAfterSeconds);
  }

  #isFirst(a: QueuedMessage, b: QueuedMessage): boolean {
    const more = this.#inFlightOf(a.group) - this.#inFlightOf(b.group);
    return more < 0 || (more === 0 && a.visibleAtMs < b.visibleAtMs);
  }

  #inFlightOf(group: string): number {
    return this.#inFlight.get(group) ?? 0;
  }
}
