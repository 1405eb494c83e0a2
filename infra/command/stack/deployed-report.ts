import { defined } from '../../../lib/defined.ts';
import { parseListSchema } from '../../../lib/exports/list-schema.ts';
import { timeText } from '../../command-line/words.ts';
import type { CoursePoint } from '../../report/report-data.ts';
import { parseReportManifest } from '../../report/report-manifest.ts';
import { reportPage } from '../../report/report-page.ts';
import { CommandError } from '../command-error.ts';
import { reportedChanges } from './reported-changes.ts';
import type { BegunExport, OpenExport } from './shown-export.ts';

/** What is there besides the answer that shows the export. */
export interface ReportSources {
  /** As somebody watched it. @default - nobody did */
  readonly course?: readonly CoursePoint[];
  /** The content of `manifest.json`. @default - it is not completed */
  readonly manifest?: string | undefined;
  /** The content of `schema.json`. @default - its records are not described */
  readonly schema?: string | undefined;
}

/** The page about an export of a deployed integration: what is known of it, and what is not. */
export async function deployedReport(
  opened: OpenExport,
  shown: BegunExport,
  sources: ReportSources,
): Promise<string> {
  const { list, exportId, status, reason } = shown;
  const { connection } = opened;
  const manifest =
    sources.manifest === undefined ? undefined : parseReportManifest(sources.manifest);
  const schema = parseListSchema(sources.schema);
  const { changes, problem } = await changesOf(opened, shown);
  const course = withLast(sources.course ?? [], shownPoint(shown));
  const startedAtMs = Date.parse(shown.startedAt);
  const endedAt = manifest?.endedAt ?? (status === 'running' ? undefined : shown.updatedAt);
  return reportPage({
    ...{ connection, list, exportId, status, startedAtMs, course },
    ...defined({
      endedAtMs: endedAt === undefined ? undefined : Date.parse(endedAt),
      reason: reason ?? undefined,
      manifest,
      schema,
      changes,
    }),
    unknown: [
      ...unseenCourse(sources.course ?? [], startedAtMs),
      REQUESTS,
      ...(status === 'completed' && manifest === undefined ? [MANIFEST] : []),
      ...(status === 'completed' && schema === undefined ? [SCHEMA] : []),
      ...(shown.completeness?.verdict === 'complete' && changes === undefined
        ? [problem ?? CHANGES]
        : []),
      COST,
    ],
  });
}

/** Who may not read changes gets the rest. */
async function changesOf(opened: OpenExport, shown: BegunExport) {
  try {
    return { changes: await reportedChanges(opened, shown) };
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    return { problem: `What it changed. ${error.message}` };
  }
}

/** How far an export is, as a point of its course. */
export function shownPoint({ updatedAt, progress, waits, notBefore }: BegunExport) {
  const atMs = Date.parse(updatedAt);
  const waitUntilMs = notBefore === null ? undefined : Date.parse(notBefore);
  return {
    ...{ atMs, pages: progress.pages, records: progress.customers },
    ...{ throttles: waits.throttles, ...defined({ waitUntilMs }) },
  } satisfies CoursePoint;
}

function withLast(course: readonly CoursePoint[], last: CoursePoint): readonly CoursePoint[] {
  return course.at(-1)?.atMs === last.atMs ? course : [...course, last];
}

/** A person who begins to watch while the export goes on sees one point of what was before. */
const SOON_MS = 10_000;

function unseenCourse(course: readonly CoursePoint[], startedAtMs: number): readonly string[] {
  const [first] = course;
  if (first === undefined || course.length < 2) return [COURSE];
  if (first.atMs - startedAtMs < SOON_MS) return [];
  return [`The way to where it was at ${timeText(first.atMs)}: it was watched from then on.`];
}

const COURSE =
  'How far it was at which time. Only who watches it sees that: customers-functions watch --report FILE.';
const REQUESTS =
  'When each request was sent, and when it was answered. The ledger has their number alone, so they are not drawn against the limit.';
const MANIFEST =
  'Its parts and figures: the manifest is gone, or of a version that did not say them.';
const SCHEMA =
  'What its records look like. They are described some minutes after the end, unless that is turned off.';
const CHANGES =
  'What it changed. It is compared some minutes after the end, unless that is turned off.';
const COST =
  'What it cost. AWS bills no single export: docs/costs.md estimates one, and the dashboard of the stack shows USD an hour.';
