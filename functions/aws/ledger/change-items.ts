import * as v from 'valibot';
import type {
  ChangeBase,
  ChangeDecision,
  ChangeState,
  StoredSummary,
} from '../../../lib/changes/change-state.ts';
import { isWaiting, sweepAtMs } from '../../../lib/changes/change-steps.ts';
import type { ChangeCounts } from '../../../lib/changes/changes-summary.ts';
import type { ComparisonLine } from '../../../lib/changes/comparison-line.ts';
import type { ChangeLedger } from '../../../lib/changes/ports.ts';
import {
  count,
  type EveryMember,
  LEDGER_ATTRIBUTES,
  lease,
  OPEN_WRITES_INDEX,
  text,
  timeMs,
} from './ledger-item.ts';
import type { ItemPlace, LedgerTable } from './ledger-table.ts';

const baseEntries = {
  exportId: text,
  startedAtMs: timeMs,
  manifestKey: text,
  organizationId: v.exactOptional(text),
} satisfies EveryMember<ChangeBase>;

const base = v.object(baseEntries);

const counts = v.object({
  before: count,
  now: count,
  added: count,
  changed: count,
  removed: count,
  unchanged: count,
} satisfies EveryMember<ChangeCounts>);

const ChangeStateSchema: v.GenericSchema<unknown, ChangeState> = v.object({
  v: v.literal(1),
  connection: text,
  list: text,
  ...baseEntries,
  writeToken: text,
  status: v.picklist([
    'first',
    'found',
    'publishing',
    'published',
    'held',
    'stopped',
    'discarded',
    'superseded',
    'outdated',
    'refused',
  ]),
  since: v.exactOptional(base),
  passedOver: v.exactOptional(text),
  counts: v.exactOptional(counts),
  summary: v.object({ key: text, sha256: text } satisfies EveryMember<StoredSummary>),
  reason: v.exactOptional(text),
  maxRemovedPercent: v.number(),
  recordEvents: v.boolean(),
  withRecord: v.boolean(),
  comparedAtMs: timeMs,
  updatedAtMs: timeMs,
  notBeforeMs: timeMs,
  waitsSinceMs: v.exactOptional(timeMs),
  wakeUpSent: v.boolean(),
  lease: v.exactOptional(lease),
  step: count,
  stepsWithoutEvent: count,
  next: count,
  closed: v.boolean(),
  decided: v.exactOptional(
    v.object({
      decision: v.picklist(['release', 'discard']),
      by: text,
      atMs: timeMs,
    } satisfies EveryMember<ChangeDecision>),
  ),
  deleteAfterMs: timeMs,
} satisfies EveryMember<ChangeState>);

const ComparisonLineSchema: v.GenericSchema<unknown, ComparisonLine> = v.object({
  v: v.literal(1),
  connection: text,
  list: text,
  writeToken: text,
  base: v.exactOptional(base),
  comparing: v.exactOptional(
    v.object({ exportId: text, sinceMs: timeMs, lease: v.exactOptional(lease) }),
  ),
  publishing: v.exactOptional(text),
  held: v.exactOptional(text),
} satisfies EveryMember<ComparisonLine>);

const SORT_PREFIX = 'change#';

/** The partitions of the index; there are as many items as lists at most, a few of them at a time. */
const UNFINISHED = 'unfinished-changes';
const HELD = 'held-changes';

/** The items `change#<exportId>` and `changes#<list>`. */
export function createChangeItems(
  table: Pick<LedgerTable, 'get' | 'replace' | 'query'>,
): ChangeLedger {
  const listOpen = async (mark: string, untilMs: number) => {
    const { openWrite, openWriteAtMs } = LEDGER_ATTRIBUTES;
    const { items } = await table.query({
      schema: OpenChangeSchema,
      index: OPEN_WRITES_INDEX,
      condition: `${openWrite} = :mark AND ${openWriteAtMs} <= :until`,
      values: { ':mark': mark, ':until': untilMs },
    });
    return items;
  };
  return {
    readChange: (connection, exportId) => table.get(placeOf(connection, exportId)),
    writeChange: (next, expectedToken) => {
      const place = placeOf(next.connection, next.exportId);
      return table.replace(place, next, expectedToken, openAttributes(next));
    },
    readComparisonLine: (connection, list) => table.get(linePlaceOf(connection, list)),
    writeComparisonLine: (next, expectedToken) =>
      table.replace(linePlaceOf(next.connection, next.list), next, expectedToken),
    listUnfinishedChanges: (untilMs) => listOpen(UNFINISHED, untilMs),
    listHeldChanges: () => listOpen(HELD, Number.MAX_SAFE_INTEGER),
  };
}

function placeOf(connection: string, exportId: string): ItemPlace<ChangeState> {
  return { connection, sort: `${SORT_PREFIX}${exportId}`, schema: ChangeStateSchema };
}

function linePlaceOf(connection: string, list: string): ItemPlace<ComparisonLine> {
  return { connection, sort: `changes#${list}`, schema: ComparisonLineSchema };
}

const OpenChangeSchema = v.pipe(
  v.object({
    [LEDGER_ATTRIBUTES.partitionKey]: v.string(),
    [LEDGER_ATTRIBUTES.sortKey]: v.pipe(v.string(), v.startsWith(SORT_PREFIX)),
  }),
  v.transform(({ pk, sk }) => ({ connection: pk, exportId: sk.slice(SORT_PREFIX.length) })),
);

/** The attributes by which the index finds it, and without which it would be deleted in time; none when it is over. */
function openAttributes(state: ChangeState): Readonly<Record<string, string | number | undefined>> {
  const { openWrite, openWriteAtMs, timeToLive } = LEDGER_ATTRIBUTES;
  const dueAtMs = sweepAtMs(state);
  if (dueAtMs === undefined && !isWaiting(state)) return {};
  // While its list waits for it, it stays.
  return {
    [openWrite]: dueAtMs === undefined ? HELD : UNFINISHED,
    [openWriteAtMs]: dueAtMs ?? state.updatedAtMs,
    [timeToLive]: undefined,
  };
}
