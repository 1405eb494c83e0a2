import type { ChangeState } from '../../lib/changes/change-state.ts';
import { isoTime } from '../../lib/exports/bounds.ts';
import type { QueuedExport } from '../../lib/exports/export-line.ts';
import type { Cancellation, ExportReason, ExportState } from '../../lib/exports/export-state.ts';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import type { Gate } from '../../lib/gate/ports.ts';
import { dueAtMs } from '../../lib/steps/due-at.ts';
import { changesMember } from './changes-view.ts';
import { progressOf } from './progress.ts';

/** An export as the API shows it. Times are ISO 8601 in UTC; what there is not is `null`. */
export function exportView(
  state: ExportState,
  gate: Pick<Gate, 'blockedUntilMs' | 'opening'>,
  nowMs: number,
  change: ChangeState | undefined,
) {
  const { connection, list, exportId, status, counters, parts, completeness } = state;
  const { reason, cancellation } = state;
  const notBeforeMs = dueAtMs(state, gate);
  const isWaiting = status === 'running' && notBeforeMs > nowMs;
  return {
    connection,
    list,
    exportId,
    status,
    // Of all its customers; another one after each change of the organization.
    organizationId: state.organizationId ?? null,
    startedAt: isoTime(state.startedAtMs),
    updatedAt: isoTime(state.updatedAtMs),
    // When it fails if it is not over by then.
    deadlineAt: isoTime(state.deadlineAtMs),
    progress: progressOf(state, notBeforeMs, nowMs),
    // While it runs and waits: no request before this time.
    notBefore: isWaiting ? isoTime(notBeforeMs) : null,
    // Another caller of the connection may have been told to wait.
    waitsFor: isWaiting ? (state.waitsFor ?? 'throttled') : null,
    waits: { throttles: counters.throttles, seconds: counters.waitedSeconds },
    parts: { count: parts.count, storedBytes: parts.storedBytes },
    manifestKey: status === 'completed' ? manifestKey(state) : null,
    // The verdict, once the export is completed.
    completeness: completeness ?? null,
    // What it changed, once it is compared with the last complete export before.
    changes: changesMember(change),
    // Why a failed, halted or cancelled export stopped, and what to do.
    reason: reason === undefined ? null : reasonView(reason),
    // Who ended it, once it is cancelled.
    cancellation: cancellation === undefined ? null : cancellationView(cancellation),
  };
}

export function queuedView({ connection, list, exportId, place, sinceMs }: QueuedExport) {
  return { connection, list, exportId, status: 'queued', place, queuedAt: isoTime(sinceMs) };
}

function cancellationView({ atMs, by, reason, parts, removedAtMs }: Cancellation) {
  const removedAt = removedAtMs === undefined ? null : isoTime(removedAtMs);
  return { at: isoTime(atMs), by, reason, parts, removedAt };
}

function reasonView({ resumeAtMs, ...reason }: ExportReason) {
  return resumeAtMs === undefined ? reason : { ...reason, resumeAt: isoTime(resumeAtMs) };
}
