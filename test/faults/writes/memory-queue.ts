import type { WriteReport } from '../../../lib/writes/write-report.ts';
import type { WriteMessage } from '../../../lib/writes/write-request.ts';
import type { VirtualClock } from '../virtual-clock.ts';

/** SQS's and Lambda's defaults for such a queue. */
const MAX_RECEIVES = 5;

interface Message {
  readonly value: WriteMessage;
  receives: number;
}

export interface MemoryQueueOptions {
  readonly clock: Pick<VirtualClock, 'now' | 'at'>;
  readonly random: () => number;
  /** Functions at once. */
  readonly concurrency: number;
  readonly batchSize: number;
  readonly visibilityMs: number;
  /** Probability that a message is delivered twice, or that a pointer is lost. */
  readonly duplicates: number;
  readonly losses: number;
  readonly handle: (messages: readonly WriteMessage[]) => Promise<readonly WriteReport[]>;
}

/** SQS and its event source mapping in memory. */
export class MemoryQueue {
  readonly delays: number[] = [];
  readonly deadLetters: WriteMessage[] = [];
  readonly #options: MemoryQueueOptions;
  readonly #visible: Message[] = [];
  #running = 0;
  #isPolling = false;

  constructor(options: MemoryQueueOptions) {
    this.#options = options;
  }

  send(value: WriteMessage, delaySeconds = 0): void {
    const { random, losses, duplicates } = this.#options;
    this.delays.push(delaySeconds);
    const isLost = value.kind === 'pointer' && random() < losses;
    const copies = (isLost ? 0 : 1) + (random() < duplicates ? 1 : 0);
    for (let copy = 0; copy < copies; copy++) {
      const lateMs = copy * Math.floor(random() * 20_000);
      this.#showAfter({ value, receives: 0 }, delaySeconds * 1000 + lateMs);
    }
  }

  /** Messages that were given up are put back, as an operator would. */
  redrive(): void {
    for (const value of this.deadLetters.splice(0)) this.send(value);
  }

  #showAfter(message: Message, ms: number): () => void {
    const { clock } = this.#options;
    return clock.at(clock.now() + ms, () => {
      this.#visible.push(message);
      this.#pollSoon();
    });
  }

  /** Messages that become visible at the same time are received together. */
  #pollSoon(): void {
    if (this.#isPolling) return;
    this.#isPolling = true;
    const { clock } = this.#options;
    clock.at(clock.now() + 1, () => {
      this.#isPolling = false;
      this.#poll();
    });
  }

  #poll(): void {
    const { concurrency, batchSize } = this.#options;
    while (this.#running < concurrency && this.#visible.length > 0) {
      void this.#invoke(this.#visible.splice(0, batchSize));
    }
  }

  async #invoke(messages: readonly Message[]): Promise<void> {
    const { visibilityMs, handle } = this.#options;
    this.#running++;
    const takeBack = messages.map((message) => {
      message.receives++;
      if (message.receives < MAX_RECEIVES) return this.#showAfter(message, visibilityMs);
      this.deadLetters.push(message.value);
      return () => this.deadLetters.splice(this.deadLetters.indexOf(message.value), 1);
    });
    const reports = await handle(messages.map(({ value }) => value)).catch(() => []);
    reports.forEach(({ answer }, index) => {
      if (answer !== 'retry') takeBack[index]?.();
    });
    this.#running--;
    this.#pollSoon();
  }
}
