import { defined } from '../../defined.ts';
import type { WalkOrder, WalkProof } from './taken.ts';
import type { VerifiedWalk } from './verified-walk.ts';

/** What a walk that is over has shown. */
export function proofOf(walk: VerifiedWalk): WalkProof {
  const { list, stage, open, size, frontFromRow, counts } = walk;
  const by = stage === 'first' ? 'one-answer' : stage === 'front' ? 'chain' : undefined;
  const order = orderOf(walk);
  const isById = order === 'rising' || order === 'falling';
  return {
    kind: 'verified',
    order,
    ...defined({ by: open.length === 0 ? by : undefined }),
    open,
    repeats:
      stage === 'first' || (isById && by === 'chain')
        ? { kind: 'harmless' }
        : { kind: 'moved', withinRows: 2 * size, ...defined({ frontFromRow }) },
    counts,
    ...defined({ lastTotal: list.lastTotal, leastRecords: leastRecords(walk) }),
  };
}

function orderOf({ order, idOrder, stage }: VerifiedWalk): WalkOrder {
  if (stage !== 'front') return order;
  if (idOrder === 'rising' || idOrder === 'falling') return idOrder;
  return order === 'unknown' ? 'fixed' : order;
}

/**
 * Records that were in the list at the end of the chain, or when the front was read last. A record that was added
 * behind the walk is in one of them and was not read; one that was added at its end or in front is not in both.
 */
function leastRecords({ totalAtEnd, list, stage }: VerifiedWalk): number | undefined {
  if (stage !== 'front' || totalAtEnd === undefined) return undefined;
  return Math.min(totalAtEnd, list.lastTotal ?? totalAtEnd);
}
