import type { ChangeState } from '../../lib/changes/change-state.ts';
import type { ChangeLedger } from '../../lib/changes/ports.ts';
import { isoTime } from '../../lib/exports/bounds.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import { isUnreadable } from '../../lib/steps/unreadable-item.ts';
import { errorFields, type Log } from '../log/log.ts';

/**
 * What became of comparing an export; `undefined` while it is not compared. An item that cannot be read hides no
 * export: it is logged.
 */
export async function readChangeOf(
  changes: Pick<ChangeLedger, 'readChange'>,
  { connection, exportId, completeness }: ExportState,
  log: Log,
): Promise<ChangeState | undefined> {
  if (completeness?.verdict !== 'complete') return undefined;
  try {
    return await changes.readChange(connection, exportId);
  } catch (error) {
    if (!isUnreadable(error)) throw error;
    log.warn('Changes left out of an export', errorFields(error));
    return undefined;
  }
}

/** What became of comparing an export, beside the export; `null` while it is not compared. */
export function changesMember(change: ChangeState | undefined) {
  if (change === undefined || change.status === 'outdated') return null;
  const { status, counts } = change;
  return { status, counts: counts ?? null };
}

/** The same with all that is known of it. */
export function changesView(change: ChangeState) {
  const { connection, list, exportId, startedAtMs, since, recordEvents, next, reason } = change;
  const { maxRemovedPercent, decided, comparedAtMs } = change;
  return {
    connection,
    list,
    exportId,
    startedAt: isoTime(startedAtMs),
    since:
      since === undefined
        ? null
        : { exportId: since.exportId, startedAt: isoTime(since.startedAtMs) },
    ...changesMember(change),
    comparedAt: isoTime(comparedAtMs),
    maxRemovedPercent,
    // Events that are published, where each change has one.
    eventsPublished: recordEvents ? next : null,
    reason: reason ?? null,
    // What a person decided about changes that were held.
    decision:
      decided === undefined
        ? null
        : { decision: decided.decision, by: decided.by, at: isoTime(decided.atMs) },
  };
}
