import type { SweptWrite } from '../../lib/writes/wake-writes.ts';
import type { WriteReport } from '../../lib/writes/write-report.ts';
import type { MetricValues } from '../middleware/metrics.ts';

/** What a sweep found that stands still and that no single sweep is sure to help. */
const STALLED: readonly SweptWrite['result'][] = ['wake', 'error'];

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

/**
 * The metrics of a sweep through the writes of all connections, zeros too: a level that is told ends an
 * alarm.
 *
 * @param unclear Writes that wait for a person.
 */
export function writeSweepMetrics(swept: readonly SweptWrite[], unclear: number): MetricValues {
  const count = (isCounted: (result: SweptWrite['result']) => boolean) =>
    swept.filter(({ result }) => isCounted(result)).length;
  return {
    UnclearWrites: unclear,
    StalledWrites: count((result) => STALLED.includes(result)),
    HaltedWrites: count((result) => result === 'still-halted'),
  };
}
