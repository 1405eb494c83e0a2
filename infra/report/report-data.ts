import type { Change } from '../../lib/changes/change.ts';
import type { ChangeCounts, ChangesSummary } from '../../lib/changes/changes-summary.ts';
import type { ExportReason, ExportState } from '../../lib/exports/export-state.ts';
import type { ListSchema } from '../../lib/exports/list-schema.ts';
import type { ReportManifest } from './report-manifest.ts';

/** What is known of one export. What is absent is not in the report: nothing is guessed. Times are ms since the epoch. */
export interface ReportData {
  readonly connection: string;
  readonly list: string;
  readonly exportId: string;
  readonly status: ExportState['status'];
  readonly startedAtMs: number;
  /** When the last page was read, or it stopped; absent while it runs. */
  readonly endedAtMs?: number;
  /** As far as it came, oldest first. */
  readonly course: readonly CoursePoint[];
  /** Every request; absent where nobody has logged them. */
  readonly requests?: RequestLog;
  /** What the API allows, or what the settings do. */
  readonly limit?: RequestLimit;
  readonly reason?: Pick<ExportReason, 'message'> & { readonly code: string };
  /** Of a completed export. */
  readonly manifest?: ReportManifest;
  readonly schema?: ListSchema;
  readonly changes?: ReportChanges;
  readonly cost?: ReportCost;
  /** Requests that came before their time, by the API's own log. */
  readonly earlyRequests?: number;
  /** Whether the files hold what the simulated API has. */
  readonly matchesApi?: boolean;
  /** What this report would show if it were known, and where it can be seen: a sentence each. */
  readonly unknown?: readonly string[];
}

/** What the ledger said at a time. Counts are those of the whole export so far. */
export interface CoursePoint {
  readonly atMs: number;
  readonly pages: number;
  readonly records: number;
  readonly throttles: number;
  /** The step that was to come. */
  readonly step?: number;
  readonly requests?: number;
  /** No request before then; absent when there was nothing to wait for. */
  readonly waitUntilMs?: number;
}

interface RequestLog {
  /** Who logged them, such as "by the API's own log". */
  readonly from: string;
  /** In the order of their times. */
  readonly entries: readonly LoggedRequest[];
}

export interface LoggedRequest {
  readonly atMs: number;
  /** `failed`: without an answer, or with a status of 400 and more that is no throttle. */
  readonly outcome: 'answered' | 'throttled' | 'failed';
}

export interface RequestLimit {
  readonly requestsPerSecond: number;
  /** Requests at once after a pause. */
  readonly burst?: number;
  /** Such as "The simulated API allows". */
  readonly says: string;
}

export interface ReportChanges extends Pick<ChangesSummary, 'state' | 'reason'> {
  /** The export that it was compared with. */
  readonly since?: string;
  readonly counts?: ChangeCounts;
  readonly samples: readonly ChangeSample[];
}

export interface ChangeSample extends Pick<Change, 'change'> {
  /** The digits of a number, the characters of a text. */
  readonly id: string;
  /** Of a changed record: which members. */
  readonly members?: readonly string[];
}

interface ReportCost {
  /** USD. */
  readonly byService: Readonly<Record<string, number>>;
  /** Such as "Operations of this run at us-east-1 prices of 2026-01-01, all lists together". */
  readonly basis: string;
}
