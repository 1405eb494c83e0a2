import { startWalk } from '../customers-api/list-walk.ts';
import type { ExportSettings } from './export-settings.ts';
import type { ActiveExport, ExportState } from './export-state.ts';

const DAY_MS = 24 * 3600 * 1000;

/** The state of an export that has not asked for anything yet; the same for everyone who makes it. */
export function initialState(
  active: ActiveExport,
  settings: ExportSettings,
  writeToken: string,
): ExportState {
  const { sinceMs } = active;
  return {
    v: 1,
    connection: active.connection,
    exportId: active.exportId,
    writeToken,
    status: 'running',
    plan: {
      resource: settings.resource,
      perPage: settings.perPage,
      firstPage: settings.firstPage,
    },
    startedAtMs: sinceMs,
    deadlineAtMs: sinceMs + settings.maxDurationSeconds * 1000,
    deleteAfterMs: sinceMs + settings.historyDays * DAY_MS,
    updatedAtMs: sinceMs,
    step: 0,
    wakeUpSent: false,
    notBeforeMs: 0,
    walk: startWalk(settings.firstPage),
    parts: { count: 0, storedBytes: 0 },
    counters: { pages: 0, customers: 0, bytes: 0, requests: 0, throttles: 0, waitedSeconds: 0 },
    inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
    lastRequestAtMs: 0,
    keyVersions: [],
    unannounced: [],
  };
}
