import { defined } from '../../lib/defined.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import type { CoursePoint } from './report-data.ts';

/** A report shows no more of them apart; of a longer course every other one goes, again and again. */
const MAX_POINTS = 2_000;

/** Collects how far an export is, whenever that changes. */
interface ExportCourse<Seen> {
  readonly see: (seen: Seen) => void;
  readonly points: () => readonly CoursePoint[];
}

/** By the times at which the ledger was written. @param pointOf Of what is seen. */
export function exportCourse<Seen>(pointOf: (seen: Seen) => CoursePoint): ExportCourse<Seen> {
  let points: CoursePoint[] = [];
  return {
    see: (seen) => {
      const point = pointOf(seen);
      if (point.atMs === points.at(-1)?.atMs) return;
      if (points.length >= MAX_POINTS) points = points.filter((_, index) => index % 2 === 1);
      points.push(point);
    },
    points: () => points,
  };
}

export function ledgerPoint({
  counters,
  step,
  notBeforeMs,
  updatedAtMs,
}: ExportState): CoursePoint {
  const { pages, customers: records, requests, throttles } = counters;
  const waitUntilMs = notBeforeMs > updatedAtMs ? notBeforeMs : undefined;
  const counts = { pages, records, requests, throttles, step };
  return { atMs: updatedAtMs, ...counts, ...defined({ waitUntilMs }) };
}
