import { setTimeout as wait } from 'node:timers/promises';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import type { ExportedApi } from './demo-api.ts';
import type { Progress } from './progress.ts';
import type { RunExport } from './run-result.ts';
import { untilThere } from './until-there.ts';

export interface EndedExport extends Pick<RunExport, 'list' | 'exportId' | 'state' | 'course'> {
  readonly earlier?: EndedExport;
}

/** Exports these lists once. */
type Round = (lists: readonly string[]) => Promise<readonly EndedExport[]>;

interface TwiceContext {
  readonly lists: readonly string[];
  readonly api: Pick<ExportedApi, 'moving'>;
  readonly progress: Pick<Progress, 'note' | 'say'>;
  readonly signal: AbortSignal;
}

/**
 * Exports each list, lets a simulated API change, and exports each list again that was complete: only complete
 * exports are compared.
 *
 * @returns The second export of each list; the only one of a list that was not complete.
 */
export async function exportTwice(
  { api, progress, lists, signal }: TwiceContext,
  changes: Pick<ChangeLedger, 'readChange'>,
  round: Round,
): Promise<readonly EndedExport[]> {
  progress.note('First export');
  const first = await round(lists);
  progress.say('Waiting for the comparison');
  const isCompared = await untilCompared(changes, first, signal);
  const complete = first.filter(({ state }) => state?.completeness?.verdict === 'complete');
  const isHalted = first.some(({ state }) => state?.status === 'halted');
  if (complete.length === 0 || isHalted || !isCompared) return first;
  progress.note(`Second export${api.moving ? ', while the list changes' : ''}`);
  api.moving?.begin();
  const second = await round(complete.map(({ list }) => list));
  api.moving?.end();
  progress.say('Waiting for the comparison');
  await untilCompared(changes, second, signal);
  return first.map((earlier) => {
    const again = second.find(({ list }) => list === earlier.list);
    return again === undefined ? earlier : { ...again, earlier };
  });
}

/** Comparisons follow on complete exports, by functions of their own. @returns Whether all of them came. */
async function untilCompared(
  changes: Pick<ChangeLedger, 'readChange'>,
  ended: readonly EndedExport[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { state } of ended) {
    if (state?.completeness?.verdict !== 'complete') continue;
    const { connection, exportId } = state;
    const isThere = async () => (await changes.readChange(connection, exportId)) !== undefined;
    if (!(await untilThere(isThere, (ms) => wait(ms, undefined, { signal })))) return false;
  }
  return true;
}
