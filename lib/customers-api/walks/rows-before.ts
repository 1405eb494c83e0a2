import type { Walk } from './walker.ts';

/**
 * Different rows of the list that are known to stand in front of the next page of its first pass; behind it, where the
 * walk goes from the last page to the first.
 *
 * @returns `undefined` where rows are read again: those of the front, of the end before it is known, and of a further pass.
 */
export function rowsBefore(walk: Walk): number | undefined {
  if (walk.kind === 'fast') return walk.list.records;
  if (walk.before === 'asked' || walk.before === 'first') return undefined;
  const { stage, plan, list, pass, counts, backward } = walk;
  if (stage === 'first') return 0;
  if (stage === 'chain' || stage === 'tail') return plan[0]?.start;
  if (stage === 'backward' && backward?.isEndKnown && !backward.floor) return backward.rows;
  const isFirstPass = counts.passes === 0 && pass.mostAnswers === undefined;
  return stage === 'pages' && isFirstPass ? list.records : undefined;
}
