import type { Swapped } from '../../../lib/steps/step-kind.ts';
import { UnstorableItemError } from '../../../lib/steps/unreadable-item.ts';
import type { WriteName } from '../../../lib/writes/ports.ts';
import type { OrderLine, WriteState } from '../../../lib/writes/write-state.ts';
import { sweepAtMs } from '../../../lib/writes/write-steps.ts';
import { swapItem } from '../swap-item.ts';

/**
 * The writes and order lines of the ledger in memory; each method is one atomic effect. What is stored is
 * a copy, and nobody may change what is read.
 */
export class MemoryWriteLedger {
  readonly writes = new Map<string, WriteState>();
  readonly lines = new Map<string, OrderLine>();
  /** What the ledger never takes, as DynamoDB takes no item of more than 400 KB. @default takes all */
  isUnstorable: (next: WriteState) => boolean = () => false;

  readWrite(connection: string, writeId: string): WriteState | undefined {
    return this.writes.get(`${connection}/${writeId}`);
  }

  writeWrite(next: WriteState, expectedToken: string | undefined): Swapped<WriteState> {
    if (this.isUnstorable(next)) throw new UnstorableItemError('Too large.');
    return swapItem(this.writes, `${next.connection}/${next.writeId}`, next, expectedToken);
  }

  readLine(connection: string, orderKey: string): OrderLine | undefined {
    return this.lines.get(`${connection}/${orderKey}`);
  }

  writeLine(next: OrderLine, expectedToken: string | undefined): Swapped<OrderLine> {
    return swapItem(this.lines, `${next.connection}/${next.orderKey}`, next, expectedToken);
  }

  listUnfinished(untilMs: number, connection?: string): readonly WriteName[] {
    return [...this.writes.values()].filter((state) => {
      const atMs = sweepAtMs(state);
      const isAsked = connection === undefined || state.connection === connection;
      return isAsked && atMs !== undefined && atMs <= untilMs;
    });
  }
}
