import type { ExportState } from '../../lib/exports/export-state.ts';
import type { ReportData, RequestLimit } from './report-data.ts';

export function reportFacts(state: ExportState) {
  const { connection, list, exportId, status, startedAtMs, end, updatedAtMs } = state;
  const endedAtMs = end?.atMs ?? updatedAtMs;
  return {
    connection,
    list,
    exportId,
    status,
    startedAtMs,
    endedAtMs,
  } satisfies Partial<ReportData>;
}

/** @param requestsPerSecond Of the settings; absent: they set none. */
export function limitOfSettings(requestsPerSecond: number | undefined): RequestLimit | undefined {
  if (requestsPerSecond === undefined) return undefined;
  return { requestsPerSecond, says: 'the settings allow' };
}
