import type {
  Completeness,
  ExportReason,
  ExportState,
  ListWarning,
} from '../../../lib/exports/export-state.ts';
import type { Manifest } from '../../../lib/exports/manifest.ts';
import { costUsdOf } from '../../cost/billed-units.ts';
import type { CoursePoint } from '../../report/report-data.ts';
import type { Usage } from '../endpoint/usage.ts';
import { type ComparedExport, type ListChanges, listChangesOf } from './changes-result.ts';

export interface ListResult {
  /** `queued`: the turn did not come, since the connection is halted. */
  readonly status: ExportState['status'] | 'queued';
  readonly list: string;
  readonly exportId: string;
  readonly pages: number;
  /** Records of the list. */
  readonly customers: number;
  readonly requests: number;
  /** Requests that were answered by a throttle. */
  readonly throttled: number;
  readonly waitedSeconds: number;
  /** Files of the parts that count, in order. */
  readonly parts: readonly string[];
  /** File of the manifest; `null` when the export did not complete. */
  readonly manifest: string | null;
  /** File of the report of what the records look like; `null` when there is none. */
  readonly schema: string | null;
  readonly completeness: Completeness | null;
  /** What was found about the list but not believed: look at `metaKeys`. */
  readonly warnings: readonly ListWarning[];
  /** File of the page that shows how the export went; `null` when its turn did not come. */
  readonly report: string | null;
  /** Whether the files hold what the simulated API has, record by record; `null` for another API. */
  readonly matchesApi: boolean | null;
  /** Why the export stopped, and what to do. */
  readonly reason: ExportReason | null;
  /** What a second export has found different; only when changes were asked for. */
  readonly changes?: ListChanges;
}

export interface RunResult {
  readonly connection: string;
  /** `completed` when all are, `halted` when one is, else `failed`. */
  readonly status: Exclude<ExportState['status'], 'running'>;
  /** In the order of their turns. */
  readonly exports: readonly ListResult[];
  /** By the log of the simulated API; `null` for an API whose log is not ours. */
  readonly earlyRequests: number | null;
  readonly elapsedSeconds: number;
  readonly estimatedCostUsd: number;
}

export interface RunExport extends ComparedExport {
  readonly list: string;
  readonly exportId: string;
  readonly manifest?: { readonly content: Manifest; readonly file: string };
  readonly partFiles: readonly string[];
  readonly schemaFile?: string;
  /** How far it was, at every write of the ledger. @default - nobody watched */
  readonly course?: readonly CoursePoint[];
  readonly earlier?: RunExport;
  readonly matchesApi?: boolean | undefined;
  /** The page about it, once it is written. */
  readonly reportFile?: string;
}

export interface RunFindings {
  readonly connection: string;
  readonly exports: readonly RunExport[];
  readonly usage: Usage;
  readonly elapsedMs: number;
  readonly earlyRequests?: number | undefined;
  /** Whether the lists were to be exported twice. @default false */
  readonly changes?: boolean;
}

export function runResultOf({ connection, exports, changes, ...findings }: RunFindings): RunResult {
  const results = exports.map((each) => ({
    ...listResultOf(each),
    ...(changes === true && { changes: listChangesOf(each) }),
  }));
  return {
    connection,
    status: statusOf(results),
    exports: results,
    earlyRequests: findings.earlyRequests ?? null,
    elapsedSeconds: Math.round(findings.elapsedMs / 100) / 10,
    estimatedCostUsd: Number(costUsdOf(findings.usage.billed).toFixed(7)),
  };
}

/** What `--json` prints: the export and the run in one object, unless there are several exports. */
export function jsonOf({ exports, ...run }: RunResult): object {
  const [only, ...more] = exports;
  if (only === undefined || more.length > 0) return { ...run, exports };
  const { status: _, connection, earlyRequests, ...spent } = run;
  const { status, list, exportId, waitedSeconds, ...found } = only;
  const { pages, customers, requests, throttled, ...outcome } = found;
  const counts = { pages, customers, requests, throttled, waitedSeconds };
  return { status, connection, list, exportId, ...counts, earlyRequests, ...outcome, ...spent };
}

function statusOf(exports: readonly ListResult[]): RunResult['status'] {
  if (exports.every(({ status }) => status === 'completed')) return 'completed';
  return exports.some(({ status }) => status === 'halted') ? 'halted' : 'failed';
}

function listResultOf({ list, exportId, state, ...files }: RunExport): ListResult {
  const { pages = 0, customers = 0, requests = 0, throttles = 0 } = state?.counters ?? {};
  return {
    status: state?.status ?? 'queued',
    list,
    exportId,
    pages,
    customers,
    requests,
    throttled: throttles,
    waitedSeconds: state?.counters.waitedSeconds ?? 0,
    parts: files.partFiles,
    manifest: files.manifest?.file ?? null,
    schema: files.schemaFile ?? null,
    report: files.reportFile ?? null,
    completeness: state?.completeness ?? null,
    warnings: state?.warnings ?? [],
    matchesApi: files.matchesApi ?? null,
    reason: state?.reason ?? null,
  };
}
