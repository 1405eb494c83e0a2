import { createUsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import type { RunExport, RunFindings } from '../../../../infra/local/start/run-result.ts';
import { stateOf } from '../../../lib/exports/state-of.ts';

/** 1,500 records in one part, complete. */
export function exported(list: string, own: Partial<RunExport> = {}): RunExport {
  const counters = {
    pages: 15,
    customers: 1_500,
    bytes: 700_000,
    requests: 18,
    throttles: 3,
    waitedSeconds: 1_234,
  };
  const completeness = { verdict: 'complete', reasons: ['All counts agree.'] } as const;
  const state = stateOf({ list, status: 'completed', counters, completeness });
  return { list, exportId: state.exportId, state, partFiles: [`/out/${list}/part-1`], ...own };
}

/** A run that exported customers, or these lists, from an API that is not ours. */
export function findings(...exports: readonly RunExport[]): RunFindings {
  return {
    connection: 'acme',
    exports: exports.length === 0 ? [exported('customers')] : exports,
    usage: createUsageMeter().usage(),
    elapsedMs: 12_345,
  };
}
