import { leastFirst, leastLater } from './least-loss.ts';
import { type ModelledExport, type ModelOptions, modelExports } from './modelled-export.ts';
import type { RealisticLimit } from './realistic-limits.ts';

/**
 * Exports of one connection in virtual time, each as the worst of several seeds; where throttles come by chance, the sum
 * of all: which requests meet them is luck, of the ideal client too.
 */
export interface MeasuredPace {
  /** Wall time against the ideal, export by export. */
  readonly ratios: readonly number[];
  /** The best of any client that does not know the limit, of the first export and of those after it. */
  readonly least: { readonly first: number; readonly later: number };
  /** Throttled requests of an export. */
  readonly throttled: readonly number[];
  /**
   * Share of the requests that were throttled after the export that met the limit first: until then it looks like none,
   * to any client.
   */
  readonly throttledShare: number;
  /** Requests that were sent although a wait was known to run. */
  readonly early: number;
}

interface MeasureOptions extends Omit<ModelOptions, 'pages' | 'jitterMs' | 'startMs' | 'seed'> {
  readonly latencyMs: number;
  readonly seeds: readonly number[];
}

/** Each way takes up to as much of the latency longer. */
const JITTER_SHARE = 0.1;

export function measurePace(
  limit: RealisticLimit,
  { seeds, ...options }: MeasureOptions,
): MeasuredPace {
  const { limiter, pages, startsMs = [0] } = limit;
  const { latencyMs, exports } = options;
  const jitterMs = latencyMs * JITTER_SHARE;
  const runs = startsMs.flatMap((startMs) =>
    seeds.map((seed) =>
      modelExports(() => limiter(latencyMs), { ...options, pages, jitterMs, startMs, seed }),
    ),
  );
  const worst = (of: (each: ModelledExport) => number): readonly number[] =>
    Array.from({ length: exports }, (_, index) =>
      Math.max(...runs.flatMap((run) => run.slice(index, index + 1).map(of))),
    );
  const sum = (of: (each: ModelledExport) => number): readonly number[] =>
    Array.from({ length: exports }, (_, index) =>
      runs.flatMap((run) => run.slice(index, index + 1).map(of)).reduce((a, b) => a + b, 0),
    );
  const idealsMs = sum(({ idealMs }) => idealMs);
  const ratios = limiter().isByChance
    ? sum(({ wallMs }) => wallMs).map((wallMs, index) => wallMs / (idealsMs[index] ?? 0))
    : worst(({ wallMs, idealMs }) => wallMs / idealMs);
  const idealMs = Math.min(...runs.map(([first]) => first?.idealMs ?? Number.POSITIVE_INFINITY));
  const line = { latencyMs, jitterMs };
  return {
    least: { first: leastFirst(limit, line, idealMs), later: leastLater(limit, line) },
    ratios,
    throttled: worst(({ throttled }) => throttled),
    throttledShare: Math.max(
      ...runs.map((run) => shareOf(run.slice(run.findIndex(({ throttled }) => throttled > 0) + 1))),
    ),
    early: Math.max(...worst(({ early }) => early)),
  };
}

function shareOf(exports: readonly ModelledExport[]): number {
  const throttled = exports.reduce((sum, each) => sum + each.throttled, 0);
  const requests = exports.reduce((sum, each) => sum + each.requests, 0);
  return requests === 0 ? 0 : throttled / requests;
}
