import { exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { initialState } from '../../../lib/exports/start-export.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const SETTINGS = exportSettingsOf({});

/** A running export's state with some fields of its own. */
export function stateOf(own: Partial<ExportState> = {}): ExportState {
  const active = { connection: 'acme', exportId: 'request-1', sinceMs: START_MS };
  return { ...initialState(active, SETTINGS, 'token-0'), wakeUpSent: true, ...own };
}
