import { exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { type Manifest, manifestOf } from '../../../lib/exports/manifest.ts';
import type { RecordIds } from '../../../lib/exports/record-ids.ts';
import { initialState } from '../../../lib/exports/start-export.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const SETTINGS = exportSettingsOf({});

/** A running export's state with some fields of its own. */
export function stateOf(own: Partial<ExportState> = {}): ExportState {
  const active = { connection: 'acme', exportId: 'request-1', sinceMs: START_MS };
  return { ...initialState(active, SETTINGS, 'token-0'), wakeUpSent: true, ...own };
}

/** Every customer has an id of its own. */
export const OWN_IDS: RecordIds = { keys: ['id'], missing: 0, repeated: 0, equal: 0 };

/** The manifest of an export without parts. */
export function manifestWith(state: ExportState): Manifest {
  const completeness = { verdict: 'complete', reasons: [] } as const;
  return manifestOf({ state, parts: [], ids: OWN_IDS, completeness, endedAtMs: 0 });
}
