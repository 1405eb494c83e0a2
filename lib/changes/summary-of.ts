import { defined } from '../defined.ts';
import type { StoredManifest } from '../exports/stored-manifest.ts';
import type { ChangeSettings } from './change-settings.ts';
import type { ChangeBase } from './change-state.ts';
import type { ChangeCounts, ChangesFile, ChangesSummary } from './changes-summary.ts';
import type { FirstResult } from './end-comparison.ts';
import { isTooMuchRemoved, removedPercentOf } from './hold-changes.ts';

export type Finding =
  | {
      readonly kind: 'compared';
      readonly since: ChangeBase;
      /** The member that holds the ids of both exports. */
      readonly idKey: string;
      readonly counts: ChangeCounts;
      readonly files: readonly ChangesFile[];
    }
  | FirstResult
  | { readonly kind: 'refused'; readonly reason: string };

/** @param manifest Of the export that was compared. */
export function summaryOf(
  manifest: StoredManifest,
  finding: Finding,
  { maxRemovedPercent }: Pick<ChangeSettings, 'maxRemovedPercent'>,
): ChangesSummary {
  const { connection, list, exportId, organizationId, startedAt, endedAt, ids } = manifest;
  const counts = finding.kind === 'compared' ? finding.counts : countsWithout(manifest);
  const idKey = finding.kind === 'compared' ? finding.idKey : ids.keys[0];
  const isHeld = isTooMuchRemoved(counts, maxRemovedPercent);
  return {
    version: 1,
    ...{ connection, list, exportId, ...defined({ organizationId, idKey }) },
    ...{ startedAt, endedAt },
    ...(finding.kind === 'compared'
      ? { since: sinceOf(finding.since), state: isHeld ? 'held' : 'found' }
      : { state: finding.kind, ...defined({ reason: finding.reason }) }),
    counts,
    removedPercent: removedPercentOf(counts),
    maxRemovedPercent,
    files: finding.kind === 'compared' ? [...finding.files] : [],
  };
}

function sinceOf({ exportId, startedAtMs, manifestKey }: ChangeBase) {
  return { exportId, startedAt: new Date(startedAtMs).toISOString(), manifestKey };
}

/** Nothing is told of an export that is compared with none. */
function countsWithout({ parts }: StoredManifest): ChangeCounts {
  const now = parts.reduce((sum, { customers }) => sum + customers, 0);
  return { before: 0, now, added: 0, changed: 0, removed: 0, unchanged: 0 };
}
