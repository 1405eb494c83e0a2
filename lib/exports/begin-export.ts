import { newWalk } from '../customers-api/walks/new-walk.ts';
import { defined } from '../defined.ts';
import { expiryMs } from '../steps/step-item.ts';
import type { LineEntry } from './export-line.ts';
import type { ExportSettings } from './export-settings.ts';
import { type ExportReason, type ExportState, NOTHING_IN_ROW } from './export-state.ts';
import { type ListSettings, listSettingsOf } from './list-settings.ts';
import type { ExportPorts, Store } from './ports.ts';
import { manifestKey } from './store-objects.ts';

/** What exports of one connection go by. */
export interface ExportRules {
  readonly export: ExportSettings;
  /** By name. */
  readonly lists: ReadonlyMap<string, ListSettings>;
}

/**
 * The export at the head of its line. Its item is created here, before it leaves the line: so who still holds an
 * outdated line finds that it is over, and begins nothing beside the next one.
 *
 * @returns `undefined` for one that has no item, of a list that is not in the settings: during an update they may be
 * older than the list, so it is begun by others, or the sweep fails it.
 */
export async function ensureExport(
  ports: Pick<ExportPorts, 'ledger' | 'random'>,
  rules: ExportRules,
  connection: string,
  head: LineEntry,
): Promise<ExportState | undefined> {
  const known = await ports.ledger.readExport(connection, head.exportId);
  if (known !== undefined || !rules.lists.has(head.list)) return known;
  const initial = stateOf(rules, connection, head, ports.random.token());
  const result = await ports.ledger.writeExport(initial, undefined);
  return (result.kind === 'conflict' && result.current) || initial;
}

/** Why an export that needs more pages cannot go on when its list is not in the settings. */
export function listRemoved(
  { lists }: ExportRules,
  { connection, list, end }: ExportState,
): ExportReason | undefined {
  if (lists.has(list) || end !== undefined) return undefined;
  const message = `The list ${list} is not in the settings of connection ${connection} any more. Put it back and start again.`;
  return { code: 'list-removed', message };
}

/**
 * Why an export must not begin: an earlier one of the same id was completed, and the ledger has forgotten it. This one
 * would delete its parts, and changes are found between two manifests, of which there would be one.
 */
export async function idUsed(
  store: Pick<Store, 'list'>,
  state: ExportState,
): Promise<ExportReason | undefined> {
  // Its own manifest is written after the end of the list. A step that broke off may not have asked.
  if (state.counters.pages > 0 || state.end !== undefined) return undefined;
  if (!(await hasManifest(store, state))) return undefined;
  return {
    code: 'id-used',
    message: `Export ${state.exportId} was completed before, and its files are in the bucket; the ledger has forgotten it (historyDays). Start again with another Idempotency-Key.`,
  };
}

export async function hasManifest(
  store: Pick<Store, 'list'>,
  state: ExportState,
): Promise<boolean> {
  return (await store.list(manifestKey(state))).length > 0;
}

/**
 * The state of an export of the line before its first step, also of a list that the settings no longer have; the same
 * for every process that creates it.
 */
export function stateOf(
  { export: settings, lists }: ExportRules,
  connection: string,
  { list, exportId, sinceMs }: LineEntry,
  writeToken: string,
): ExportState {
  const ofList = lists.get(list) ?? listSettingsOf(list, {});
  const { resource, perPage, firstPage, query, walk, maxPasses, idKey, order } = ofList;
  const { itemsKey = false } = ofList;
  return {
    v: 2,
    connection,
    list,
    exportId,
    writeToken,
    status: 'running',
    plan: {
      ...{ resource, perPage, firstPage, query, itemsKey },
      compression: settings.compression,
    },
    startedAtMs: sinceMs,
    deadlineAtMs: sinceMs + settings.maxDurationSeconds * 1000,
    deleteAfterMs: expiryMs(sinceMs, settings.historyDays),
    updatedAtMs: sinceMs,
    step: 0,
    wakeUpSent: false,
    notBeforeMs: 0,
    walk: newWalk({ walk, firstPage, perPage, maxPasses, ...defined({ idKey, order }) }),
    parts: { count: 0, storedBytes: 0 },
    counters: { pages: 0, customers: 0, bytes: 0, requests: 0, throttles: 0, waitedSeconds: 0 },
    inRow: NOTHING_IN_ROW,
    lastRequestAtMs: 0,
    keyVersions: [],
    unannounced: [],
  };
}
