import type { ChangeState } from '../../lib/changes/change-state.ts';
import type { Decided } from '../../lib/changes/decide-changes.ts';
import type { SweptChanges } from '../../lib/changes/wake-changes.ts';
import { defined } from '../../lib/defined.ts';
import type { ConnectionAges } from '../../lib/exports/measure-connections.ts';
import type { FanOutReport } from '../../lib/exports/start-all.ts';
import type { StepReport } from '../../lib/exports/step-report.ts';
import type { SweptExport } from '../../lib/exports/wake-exports.ts';
import type { SweptWrite } from '../../lib/writes/wake-writes.ts';
import type { WriteReport } from '../../lib/writes/write-report.ts';
import type { MetricValues } from '../log/metrics.ts';

/**
 * The metrics of one step: only what this step did, so that sums are right. A step that crashed after it
 * stored a part reports nothing of that part: metrics may miss a little, the ledger and the manifest do not.
 */
export function stepMetrics({ result, share }: StepReport): MetricValues {
  if (share === undefined) return {};
  return {
    Steps: 1,
    Pages: share.pages,
    Customers: share.customers,
    Requests: share.requests,
    Throttles: share.throttles,
    WaitSeconds: share.waitedSeconds,
    ...(result === 'completed' ? { ExportsCompleted: 1 } : {}),
    ...(result === 'failed' ? { ExportsFailed: 1 } : {}),
    ...(result === 'halted' ? { ExportsHalted: 1 } : {}),
  };
}

/** The metrics of one invocation's share of a fan-out. */
export function fanOutMetrics({
  counts,
  failed,
}: Pick<FanOutReport, 'counts' | 'failed'>): MetricValues {
  return {
    FanOutStarts: counts.started + counts.joined + counts.queued + counts.resumed,
    FanOutFailures: failed.length,
  };
}

/** The levels of all measured connections, zeros too. */
export function ageMetrics({
  oldestSeconds,
  overdue,
  neverExported,
}: ConnectionAges): MetricValues {
  return {
    NewestCompleteAgeSeconds: oldestSeconds,
    ConnectionsOverdue: overdue,
    ConnectionsNeverExported: neverExported,
  };
}

/** The metrics of one handled message: only of a write that came to an end by it. */
export function writeMetrics({ result, facts }: WriteReport): MetricValues {
  const took = facts.tookMs === undefined ? {} : { WriteSeconds: facts.tookMs / 1000 };
  switch (result) {
    case 'done':
      return { WritesDone: 1, ...took };
    case 'refused':
      return { WritesRefused: 1, ...took };
    case 'unclear':
      return { WritesUnclear: 1, ...took };
    default:
      return {};
  }
}

/** The metrics of a sweep through all exports, zeros too: a level that is reported ends an alarm. */
export function exportSweepMetrics(swept: readonly SweptExport[]): MetricValues {
  return {
    StalledExports: stalledExports(swept),
    HaltedExports: countOf(swept, 'still-halted'),
    QueuedExports: swept.reduce((sum, { queued = 0 }) => sum + queued, 0),
    LongestQueuedSeconds: Math.max(
      0,
      ...swept.map(({ longestQueuedSeconds = 0 }) => longestQueuedSeconds),
    ),
    // What is halted too long, or has lost its list, fails in the sweep, not in a step.
    ExportsFailed: countOf(swept, 'fail'),
  };
}

/**
 * The metrics of a sweep through all writes, zeros too.
 *
 * @param unclear Writes that wait for a person; `undefined` where nobody knows.
 */
export function writeSweepMetrics(
  swept: readonly SweptWrite[],
  unclear: number | undefined,
): MetricValues {
  return {
    ...defined({ UnclearWrites: unclear }),
    StalledWrites: stalledIn(swept),
    HaltedWrites: countOf(swept, 'still-halted'),
  };
}

/** The metrics of a decision: only of what is told by it, not of one that is asked for again. */
export function decisionMetrics(decided: Decided): MetricValues {
  return decided.kind === 'decided' && decided.isFirst ? foundMetrics(decided.state) : {};
}

/** The metrics of one comparison: only of what is told by it. */
export function foundMetrics({ status, counts }: ChangeState): MetricValues {
  const isTold = status === 'found' || status === 'publishing' || status === 'published';
  if (!isTold || counts === undefined) return {};
  const { added, changed, removed } = counts;
  return { RecordsAdded: added, RecordsChanged: changed, RecordsRemoved: removed };
}

/** The metrics of one step of telling. @param told Events that were sent. */
export function publishMetrics(told: number): MetricValues {
  return told === 0 ? {} : { RecordEvents: told };
}

/** The metrics of a sweep through all changes, zeros too, but for what nobody could list. */
export function changeSweepMetrics(swept: readonly SweptChanges[]): MetricValues {
  const isRead = (wanted: SweptChanges['unread']) => swept.every(({ unread }) => unread !== wanted);
  const longestSeconds = Math.max(0, ...swept.map(({ waitedSeconds = 0 }) => waitedSeconds));
  return {
    ...(isRead('held') && { ChangesHeld: countOf(swept, 'waits') }),
    StalledChanges: stalledIn(swept),
    ...(isRead('unfinished') && { ChangesWaitingSeconds: longestSeconds }),
  };
}

interface Swept {
  readonly result: (SweptExport | SweptWrite | SweptChanges)['result'];
}

/**
 * Those that do not go on though they are woken. While workers are at others, what nobody has claimed waits for its turn:
 * there are more exports than workers.
 */
function stalledExports(swept: readonly SweptExport[]): number {
  const broken = ['error', 'leave', 'breaks-off', 'wake-broken'] as const;
  const unclaimed = ['wake', 'woken'] as const;
  const counted = countOf(swept, 'at-work') > 0 ? broken : [...broken, ...unclaimed];
  return counted.reduce((sum, result) => sum + countOf(swept, result), 0);
}

/** What a sweep found that stands still and that no single sweep is sure to help. */
function stalledIn(swept: readonly Swept[]): number {
  return countOf(swept, 'wake') + countOf(swept, 'error');
}

function countOf(swept: readonly Swept[], wanted: Swept['result']): number {
  return swept.filter(({ result }) => result === wanted).length;
}
