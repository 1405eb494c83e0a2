import type { ChangeName, ChangeState } from '../../../lib/changes/change-state.ts';
import { isWaiting, sweepAtMs } from '../../../lib/changes/change-steps.ts';
import type { ComparisonLine } from '../../../lib/changes/comparison-line.ts';
import type { Swapped } from '../../../lib/steps/step-kind.ts';
import { swapItem } from '../swap-item.ts';

/** What became of comparisons, and the lines of lists, in memory; each method is one atomic effect. */
export class MemoryChangeLedger {
  readonly changes = new Map<string, ChangeState>();
  readonly lines = new Map<string, ComparisonLine>();

  readChange(connection: string, exportId: string): ChangeState | undefined {
    return this.changes.get(`${connection}/${exportId}`);
  }

  writeChange(next: ChangeState, expectedToken: string | undefined): Swapped<ChangeState> {
    return swapItem(this.changes, `${next.connection}/${next.exportId}`, next, expectedToken);
  }

  readComparisonLine(connection: string, list: string): ComparisonLine | undefined {
    return this.lines.get(`${connection}/${list}`);
  }

  writeComparisonLine(
    next: ComparisonLine,
    expectedToken: string | undefined,
  ): Swapped<ComparisonLine> {
    return swapItem(this.lines, `${next.connection}/${next.list}`, next, expectedToken);
  }

  listUnfinishedChanges(): readonly ChangeName[] {
    return [...this.changes.values()].filter((state) => sweepAtMs(state) !== undefined);
  }

  listHeldChanges(): readonly ChangeName[] {
    return [...this.changes.values()].filter(
      (state) => sweepAtMs(state) === undefined && isWaiting(state),
    );
  }
}
