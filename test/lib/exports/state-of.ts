import type { ListWalk } from '../../../lib/customers-api/walks/list-walk-schema.ts';
import { NO_COUNTS, type WalkProof } from '../../../lib/customers-api/walks/taken.ts';
import type { Walk } from '../../../lib/customers-api/walks/walker.ts';
import { type ExportRules, stateOf as firstState } from '../../../lib/exports/begin-export.ts';
import type { ExportLine, LineEntry } from '../../../lib/exports/export-line.ts';
import { exportSettingsOf } from '../../../lib/exports/export-settings.ts';
import type { EndedExport, ExportState } from '../../../lib/exports/export-state.ts';
import { listSettingsOf } from '../../../lib/exports/list-settings.ts';
import { type Manifest, manifestOf, type RecordIds } from '../../../lib/exports/manifest.ts';

export const START_MS = Date.UTC(2026, 0, 1);
export const SETTINGS = exportSettingsOf({});

/** A running export's state with some fields of its own. */
export function stateOf(own: Partial<ExportState> = {}): ExportState {
  const entry = { connection: 'acme', exportId: 'request-1', sinceMs: START_MS };
  return { ...begun(entry, 'token-0'), wakeUpSent: true, ...own };
}

/** What a verified walk shows of a list that kept still. */
export const PROOF: WalkProof = {
  ...{ kind: 'verified', order: 'rising', by: 'chain', open: [], repeats: { kind: 'harmless' } },
  counts: NO_COUNTS,
};

export const END: EndedExport['end'] = {
  ...{ atMs: START_MS, rules: ['total'], contradictions: [], proof: PROOF },
};

/** A halt that is to be told. */
export const HALTED: ExportState['unannounced'][number] = {
  ...{ kind: 'halted', step: 1, atMs: START_MS, pages: 0, customers: 0 },
};

/** When steps of tests run. */
export const STEP_AT_MS = START_MS + 60_000;

/** Claimed by a worker, after steps in a row that went wrong. */
export const CLAIMED = stateOf({
  lease: { owner: 'a', untilMs: STEP_AT_MS + 9 },
  inRow: { failures: 2, blindThrottles: 2, stepsWithoutPage: 2 },
});

/** The same after a page. */
export const WITH_PAGE: ExportState = {
  ...CLAIMED,
  counters: { ...CLAIMED.counters, pages: 1 },
  inRow: { failures: 0, blindThrottles: 0, stepsWithoutPage: 0 },
};

/** The first state of an export, of `customers` unless told otherwise. */
export function begun(
  entry: Omit<LineEntry, 'list'> & { readonly connection: string; readonly list?: string },
  writeToken = 'token',
): ExportState {
  const rules = { export: SETTINGS, lists: new Map() };
  return firstState(rules, entry.connection, { list: 'customers', ...entry }, writeToken);
}

/** A walk whose answers said so of the list. */
export function walkWith(walk: Walk, said: Pick<Partial<ListWalk>, 'lastTotal'>): Walk {
  return { ...walk, list: { ...walk.list, ...said } };
}

/** Rules of a connection that has these lists. */
export function rulesWith(lists: readonly string[] = ['customers']): ExportRules {
  return {
    export: SETTINGS,
    lists: new Map(lists.map((list) => [list, listSettingsOf(list, {})])),
  };
}

/** A line as it is stored; its entries are of `customers` unless told otherwise. */
export function lineOf(connection: string, ...entries: readonly Partial<LineEntry>[]): ExportLine {
  return {
    connection,
    writeToken: 'line-0',
    entries: entries.map(({ list = 'customers', exportId = 'one', sinceMs = 1 }) => ({
      list,
      exportId,
      sinceMs,
    })),
  };
}

/** Every customer has an id of its own. */
export const OWN_IDS: RecordIds = { keys: ['id'], missing: 0, repeated: 0, leftOut: 0, equal: 0 };

/** The manifest of an export without parts. */
export function manifestWith(state: ExportState): Manifest {
  const completeness = { verdict: 'complete', reasons: [] } as const;
  return manifestOf({ state: { end: END, ...state }, parts: [], ids: OWN_IDS, completeness });
}
