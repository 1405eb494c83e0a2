/** The middle of repeated measurements, and how far they lie apart. */
export interface Spread {
  readonly least: number;
  readonly median: number;
  readonly most: number;
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  return { least: at(0), median: at(0.5), most: at(1) };
}
