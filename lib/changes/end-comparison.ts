import { defined } from '../defined.ts';
import { expiryMs } from '../steps/step-item.ts';
import type { ChangeSettings } from './change-settings.ts';
import type { ChangeBase, ChangeState, ComparedExport, StoredSummary } from './change-state.ts';
import type { ChangeCounts } from './changes-summary.ts';
import { closeChanges, closeCompared } from './close-changes.ts';
import { isTooMuchRemoved } from './hold-changes.ts';
import type { ChangePorts } from './ports.ts';

export type ComparisonResult = StoredFinding &
  (
    | FirstResult
    | { readonly kind: 'compared'; readonly since: ChangeBase }
    /** No repetition helps: the base stays. */
    | { readonly kind: 'refused'; readonly reason: string }
  );

interface StoredFinding {
  readonly summary: StoredSummary;
  /** Told of all but what is refused. */
  readonly counts: ChangeCounts;
}

export interface FirstResult {
  readonly kind: 'first';
  /** Why not, where there is an earlier export. */
  readonly reason?: string;
  /** Id of that one. */
  readonly passedOver?: string;
}

export interface EndedComparison {
  readonly told: ComparedExport;
  readonly result: ComparisonResult;
  readonly settings: ChangeSettings;
  /** How long the ledger keeps what became of it. */
  readonly historyDays: number;
}

/**
 * Stores what a comparison found, makes the export the base of the next one unless a person has to decide, and tells
 * it. Its files are stored before.
 *
 * @returns The stored state; `outdated`: another base counts by now, so compare again.
 */
export async function endComparison(
  ports: ChangePorts,
  ended: EndedComparison,
): Promise<ChangeState> {
  const { connection, exportId } = ended.told;
  const known = await ports.ledger.readChange(connection, exportId);
  // Another worker was first.
  if (known !== undefined && known.status !== 'outdated') return closeCompared(ports, known);
  const next = { ...stateOf(ended, ports.clock.now()), writeToken: ports.random.token() };
  const written = await ports.ledger.writeChange(next, known?.writeToken);
  if (written.kind === 'written') return closeChanges(ports, next);
  if (written.current !== undefined) return closeCompared(ports, written.current);
  throw new Error(`The changes of ${exportId} were removed meanwhile. Try again.`);
}

function stateOf(
  { told, result, settings, historyDays }: EndedComparison,
  nowMs: number,
): Omit<ChangeState, 'writeToken'> {
  const { connection, list, exportId, startedAtMs, manifestKey, organizationId } = told;
  const { maxRemovedPercent, events, withRecord } = settings;
  return {
    v: 1,
    connection,
    list,
    exportId,
    startedAtMs,
    manifestKey,
    ...defined({ organizationId }),
    status: statusOf(result, settings),
    ...foundIn(result),
    summary: result.summary,
    maxRemovedPercent,
    recordEvents: events,
    withRecord,
    comparedAtMs: nowMs,
    updatedAtMs: nowMs,
    notBeforeMs: nowMs,
    wakeUpSent: false,
    step: 0,
    stepsWithoutEvent: 0,
    next: 0,
    closed: false,
    deleteAfterMs: expiryMs(nowMs, historyDays),
  };
}

function foundIn(result: ComparisonResult): Partial<ChangeState> {
  if (result.kind === 'refused') return { reason: result.reason };
  const { counts } = result;
  if (result.kind === 'compared') return { since: result.since, counts };
  const { reason, passedOver } = result;
  return { counts, ...defined({ reason, passedOver }) };
}

function statusOf(
  result: ComparisonResult,
  { events, maxRemovedPercent }: ChangeSettings,
): ChangeState['status'] {
  if (result.kind !== 'compared') return result.kind;
  if (isTooMuchRemoved(result.counts, maxRemovedPercent)) return 'held';
  return acceptedStatus(events, result.counts);
}

/** What changes become that may be told. Where nothing changed, there is no record event to send. */
export function acceptedStatus(
  recordEvents: boolean,
  { added, changed, removed }: ChangeCounts,
): 'found' | 'publishing' {
  return recordEvents && added + changed + removed > 0 ? 'publishing' : 'found';
}
