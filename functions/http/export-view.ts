import { isoTime } from '../../lib/exports/bounds.ts';
import type { Completeness, ExportReason, ExportState } from '../../lib/exports/export-state.ts';
import { manifestKey } from '../../lib/exports/store-objects.ts';
import type { Gate } from '../../lib/gate/ports.ts';
import { type ExportProgress, progressOf } from './progress.ts';

/** An export as the API shows it. Times are ISO 8601 in UTC; what there is not is `null`. */
export interface ExportView {
  readonly connection: string;
  readonly exportId: string;
  readonly status: ExportState['status'];
  readonly startedAt: string;
  readonly updatedAt: string;
  /** When it fails if it is not over by then. */
  readonly deadlineAt: string;
  readonly progress: ExportProgress;
  /** While it runs and the API asks to wait: no request before this time. */
  readonly notBefore: string | null;
  readonly waits: { readonly throttles: number; readonly seconds: number };
  readonly parts: { readonly count: number; readonly storedBytes: number };
  /** Key of the manifest in the bucket, once the export is completed. */
  readonly manifestKey: string | null;
  /** The verdict, once the export is completed. */
  readonly completeness: Completeness | null;
  /** Why a failed or halted export stopped, and what to do. */
  readonly reason: ReasonView | null;
}

type ReasonView = Omit<ExportReason, 'resumeAtMs'> & { readonly resumeAt?: string };

export function exportView(
  state: ExportState,
  { blockedUntilMs }: Pick<Gate, 'blockedUntilMs'>,
  nowMs: number,
): ExportView {
  const { connection, exportId, status, counters, parts, completeness, reason } = state;
  const notBeforeMs = Math.max(state.notBeforeMs, blockedUntilMs);
  const isWaiting = status === 'running' && notBeforeMs > nowMs;
  return {
    connection,
    exportId,
    status,
    startedAt: isoTime(state.startedAtMs),
    updatedAt: isoTime(state.updatedAtMs),
    deadlineAt: isoTime(state.deadlineAtMs),
    progress: progressOf(state, blockedUntilMs, nowMs),
    notBefore: isWaiting ? isoTime(notBeforeMs) : null,
    waits: { throttles: counters.throttles, seconds: counters.waitedSeconds },
    parts: { count: parts.count, storedBytes: parts.storedBytes },
    manifestKey: status === 'completed' ? manifestKey(connection, exportId) : null,
    completeness: completeness ?? null,
    reason: reason === undefined ? null : reasonView(reason),
  };
}

function reasonView({ resumeAtMs, ...reason }: ExportReason): ReasonView {
  return { ...reason, ...(resumeAtMs === undefined ? {} : { resumeAt: isoTime(resumeAtMs) }) };
}
