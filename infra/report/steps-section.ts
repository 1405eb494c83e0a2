import { count, counted, durationText } from '../command-line/words.ts';
import { type Section, section } from './markup.ts';
import type { CoursePoint, ReportData } from './report-data.ts';
import { foldedTable } from './table.ts';

/** One row a step: a worker's turn, which ends at a throttle, at the end of its time or of the list. */
export function stepsSection({ course, startedAtMs }: ReportData): Section {
  const steps = stepsOf(course);
  if (steps.length === 0) return undefined;
  const elapsed = (atMs: number) => durationText(Math.max(0, atMs - startedAtMs));
  return section(
    'Steps',
    foldedTable(
      `${counted(steps.length, 'step')}, as seen in the ledger`,
      [
        { name: 'Step', cell: ({ step }) => count(step), kind: 'number' },
        { name: 'Ended after', cell: ({ last }) => elapsed(last.atMs), kind: 'number' },
        {
          name: 'Pages',
          cell: ({ before, last }) => count(last.pages - before.pages),
          kind: 'number',
        },
        {
          name: 'Records',
          cell: ({ before, last }) => count(last.records - before.records),
          kind: 'number',
        },
        {
          name: 'Throttled',
          cell: ({ before, last }) => count(last.throttles - before.throttles),
          kind: 'number',
        },
        { name: 'Wait after it', cell: ({ last }) => waitText(last), kind: 'number' },
      ],
      steps,
    ),
  );
}

interface SeenStep {
  readonly step: number;
  /** What was there when it began, and when it ended. */
  readonly before: Pick<CoursePoint, 'pages' | 'records' | 'throttles'>;
  readonly last: CoursePoint;
}

const NOTHING = { pages: 0, records: 0, throttles: 0 };

/** A point whose step is higher than that of the one before ends a step. */
function stepsOf(course: readonly CoursePoint[]): readonly SeenStep[] {
  const steps: SeenStep[] = [];
  let [before, seen]: [SeenStep['before'], number] = [NOTHING, 0];
  for (const point of course) {
    if (point.step === undefined || point.step <= seen) continue;
    steps.push({ step: point.step, before, last: point });
    [before, seen] = [point, point.step];
  }
  return steps;
}

function waitText({ atMs, waitUntilMs = 0 }: CoursePoint): string {
  return waitUntilMs > atMs ? durationText(waitUntilMs - atMs) : '';
}
