import { median } from './bench-report.ts';

/** The middle of repeated measurements, and how far they lie apart. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export function spread(values: readonly number[]): Spread {
  return { least: Math.min(...values), median: median(values), most: Math.max(...values) };
}
