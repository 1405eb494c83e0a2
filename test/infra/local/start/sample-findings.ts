import { createUsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import type { RunFindings } from '../../../../infra/local/start/run-result.ts';
import type { ExportState } from '../../../../lib/exports/export-state.ts';
import { stateOf } from '../../../lib/exports/state-of.ts';

/** An export of 1,500 customers in one part, complete, from an API that is not ours. */
export function findings(own: Partial<RunFindings> = {}): RunFindings {
  const state: ExportState = stateOf({
    status: 'completed',
    counters: {
      pages: 15,
      customers: 1_500,
      bytes: 700_000,
      requests: 18,
      throttles: 3,
      waitedSeconds: 1_234,
    },
    completeness: { verdict: 'complete', reasons: ['All counts agree.'] },
  });
  return {
    state,
    usage: createUsageMeter().usage(),
    elapsedMs: 12_345,
    partFiles: ['/out/part-1'],
    ...own,
  };
}
