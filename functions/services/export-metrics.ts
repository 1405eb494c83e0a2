import { defined } from '../../lib/defined.ts';
import type { ConnectionAges } from '../../lib/exports/measure-connections.ts';
import type { FanOutReport } from '../../lib/exports/start-all.ts';
import type { StepReport } from '../../lib/exports/step-report.ts';
import type { SweptExport } from '../../lib/exports/wake-stalled.ts';
import type { MetricValues } from '../middleware/metrics.ts';

/** What a sweep found that stands still and that no single sweep is sure to help. */
const STALLED: readonly SweptExport['result'][] = ['wake', 'error'];

/**
 * The metrics of one step: only what this step did, so that sums are right. A step that crashed after it
 * stored a part tells nothing of that part: metrics may miss a little, the ledger and the manifest do not.
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
    FanOutStarts: counts.started + counts.joined + counts.resumed,
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
    ...defined({ NewestCompleteAgeSeconds: oldestSeconds }),
    ConnectionsOverdue: overdue,
    ConnectionsNeverExported: neverExported,
  };
}

/** The metrics of a sweep through all connections, zeros too: a level that is told ends an alarm. */
export function sweepMetrics(swept: readonly SweptExport[]): MetricValues {
  const count = (isCounted: (result: SweptExport['result']) => boolean) =>
    swept.filter(({ result }) => isCounted(result)).length;
  return {
    StalledExports: count((result) => STALLED.includes(result)),
    HaltedExports: count((result) => result === 'still-halted'),
    // A halted export whose time is over fails in the sweep, not in a step.
    ExportsFailed: count((result) => result === 'expire'),
  };
}
