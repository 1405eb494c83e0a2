import { setTimeout as wait } from 'node:timers/promises';
import { ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { changesSummaryKey } from '../../../lib/changes/changes-summary.ts';
import { exportPrefix } from '../../../lib/exports/store-objects.ts';
import type { ExportedApi } from './demo-api.ts';
import type { Progress } from './progress.ts';
import type { RunExport } from './run-result.ts';
import { untilThere } from './until-there.ts';

/** Where exports are stored. */
export interface Bucket {
  readonly s3: S3Client;
  readonly name: string;
}

export type EndedExport = Pick<RunExport, 'list' | 'exportId' | 'state' | 'earlier'>;

/** Exports these lists once. */
type Round = (lists: readonly string[]) => Promise<readonly EndedExport[]>;

/** What of a run both exports share. */
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
  bucket: Bucket,
  round: Round,
): Promise<readonly EndedExport[]> {
  progress.note('First export');
  const first = await round(lists);
  progress.say('Waiting for the comparison');
  const isCompared = await untilCompared(bucket, first, signal);
  const complete = first.filter(({ state }) => state?.completeness?.verdict === 'complete');
  const isHalted = first.some(({ state }) => state?.status === 'halted');
  if (complete.length === 0 || isHalted || !isCompared) return first;
  progress.note(`Second export${api.moving ? ', while the list changes' : ''}`);
  await api.moving?.begin();
  const second = await round(complete.map(({ list }) => list));
  await api.moving?.end();
  progress.say('Waiting for the comparison');
  await untilCompared(bucket, second, signal);
  return first.map((earlier) => {
    const again = second.find(({ list }) => list === earlier.list);
    return again === undefined ? earlier : { ...again, earlier };
  });
}

/** Comparisons follow on complete exports, by functions of their own. @returns Whether all of them came. */
async function untilCompared(
  { s3, name }: Bucket,
  ended: readonly EndedExport[],
  signal: AbortSignal,
): Promise<boolean> {
  for (const { state } of ended) {
    if (state?.completeness?.verdict !== 'complete') continue;
    const key = changesSummaryKey(exportPrefix(state));
    const isThere = async () => {
      const found = await s3.send(new ListObjectsV2Command({ Bucket: name, Prefix: key }));
      return (found.Contents ?? []).length > 0;
    };
    if (!(await untilThere(isThere, (ms) => wait(ms, undefined, { signal })))) return false;
  }
  return true;
}
