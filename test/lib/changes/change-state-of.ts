import type { ChangeState } from '../../../lib/changes/change-state.ts';

const NOW_MS = Date.UTC(2026, 0, 2);

/** The changes that were found in one export, compared with the export `before`. */
export function changeStateOf(given: Partial<ChangeState> = {}): ChangeState {
  return {
    v: 1,
    connection: 'acme',
    list: 'customers',
    exportId: 'now',
    startedAtMs: NOW_MS,
    manifestKey: 'exports/connection=acme/list=customers/export=now/manifest.json',
    writeToken: 'first',
    status: 'found',
    since: { exportId: 'before', startedAtMs: NOW_MS - 1000, manifestKey: 'before/manifest.json' },
    counts: { before: 100, now: 101, added: 2, changed: 3, removed: 1, unchanged: 96 },
    summary: { key: 'exports/connection=acme/list=customers/export=now/changes.json', sha256: 'a' },
    maxRemovedPercent: 10,
    recordEvents: false,
    withRecord: false,
    comparedAtMs: NOW_MS + 2000,
    updatedAtMs: NOW_MS + 2000,
    notBeforeMs: NOW_MS + 2000,
    wakeUpSent: false,
    step: 0,
    stepsWithoutEvent: 0,
    next: 0,
    closed: false,
    deleteAfterMs: NOW_MS + 90 * 24 * 3600 * 1000,
    ...given,
  };
}
