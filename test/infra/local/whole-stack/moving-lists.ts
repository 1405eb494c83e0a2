import { checkLog } from '../../../../infra/simulator/check-log.ts';
import type { ListOrder } from '../../../../infra/simulator/list-order.ts';
import type { ListChange, SimulatorOptions } from '../../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../../infra/simulator/simulator.ts';
import type { Completeness, ExportState } from '../../../../lib/exports/export-state.ts';
import type { Operator } from './operator.ts';
import { readStored } from './stored-export.ts';

const CUSTOMERS = 1_500;

/** The hardest first: a single seed is the first of them. */
const ORDERS: readonly ListOrder[] = [
  'by-last-edit',
  'falling',
  'fixed',
  'rising',
  'by-last-edit-rising',
  'by-value',
];

/** Up to three changes a request, and as many additions as deletions, so that the counts agree, but in each third. */
const CHANGES: readonly ListChange[] = [
  { everyRequests: 1, inserts: 1, deletes: 1, updates: 1 },
  { everyRequests: 2, inserts: 1, deletes: 1, updates: 2 },
  { everyRequests: 1, inserts: 0, deletes: 2, updates: 0 },
];

/** Most APIs take a per_page as it is. */
const RULES = [
  { perPageRule: 'any' },
  { perPageRule: 'any' },
  { perPageRule: 'refuse-unlisted', perPageSizes: [25, 50, 100] },
  { perPageRule: 'any' },
  { perPageRule: 'listed', perPageSizes: [10, 50, 100] },
  { perPageRule: 'any' },
  { perPageRule: 'fixed', perPage: 100 },
] as const satisfies readonly SimulatorOptions[];

const orderOf = (seed: number) => ORDERS[seed % ORDERS.length] ?? 'rising';

/** With one request at a time the log is exact; with several an answer and a request may cross. */
const asksOneByOne = (seed: number) => seed % 2 === 1;

/** Settings of the connections: an order that records do not show is told, where it is one. */
export function movingConnections(seeds: readonly number[]): Readonly<Record<string, object>> {
  const settingsOf = (seed: number) => ({
    // The secret has the address.
    baseUrl: 'https://api.invalid',
    ...(orderOf(seed) === 'fixed' && { order: 'fixed' }),
    ...(asksOneByOne(seed) && { pagesInFlight: 1 }),
  });
  return Object.fromEntries(seeds.map((seed) => [`moving-${seed}`, settingsOf(seed)]));
}

/** A list that changes after each of its pages, throttled now and then, so that an export of it takes several steps. */
export function startMovingApi(seed: number, key: string): Promise<Simulator> {
  const throttle = { kind: 'status', status: 429, headers: { 'Retry-After': '1' } } as const;
  return startSimulator({
    seed,
    customers: CUSTOMERS,
    organizations: [{ key }],
    latencyMs: 5,
    faults: [{ when: { every: 9 }, fault: throttle }],
    order: orderOf(seed),
    change: CHANGES[seed % CHANGES.length] ?? { everyRequests: 1, inserts: 1, deletes: 1 },
    ...RULES[seed % RULES.length],
  });
}

export interface MovingExport {
  readonly state: ExportState;
  readonly verdict: Completeness['verdict'] | undefined;
  /** Ids of the records that were there while the export ran, from start to end, and are not in it. */
  readonly missing: readonly string[];
  /** Ids that are stored more than once. */
  readonly twice: readonly string[];
  /** Ids of stored records that were never there as they are stored while the export ran. */
  readonly invented: readonly string[];
  /** Requests before a wait was over, where the log can tell. */
  readonly earlyRequests: readonly number[];
}

/** Exports a moving list to its end, and compares it with what was there meanwhile. */
export async function exportMoving(
  operator: Operator,
  { seed, api, key }: { seed: number; api: Simulator; key: string },
): Promise<MovingExport> {
  const connection = `moving-${seed}`;
  operator.storeKey(connection, JSON.stringify({ apiKey: key, baseUrl: api.url }));
  const { exportId } = await operator.start(connection);
  const state = await operator.watch(connection, exportId, ({ status }) => status !== 'running');
  if (state.status !== 'completed') throw new Error(`${connection}: ${state.reason?.message}`);
  const { records } = await readStored(operator, connection, exportId);

  const period = { fromMs: state.startedAtMs, toMs: state.end?.atMs ?? 0 };
  const history = api.historyOf(key);
  const ids = records.map((text) => /^\{"id":(\d+)/.exec(text)?.[1] ?? text);
  const stored = new Set(ids);
  const wasThere = history.textsIn(period);
  return {
    state,
    verdict: state.completeness?.verdict,
    missing: [...history.throughout(period)].filter((id) => !stored.has(id)),
    twice: ids.filter((id, index) => ids.indexOf(id) !== index),
    invented: ids.filter((id, index) => !wasThere.get(id)?.has(records[index])),
    earlyRequests: asksOneByOne(seed) ? checkLog(api.log.entries).earlyRequests : [],
  };
}
