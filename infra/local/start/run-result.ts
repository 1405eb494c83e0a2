import type {
  Completeness,
  ExportReason,
  ExportState,
  ListWarning,
} from '../../../lib/exports/export-state.ts';
import type { Manifest } from '../../../lib/exports/manifest.ts';
import { costUsdOf } from '../../cost/billed-units.ts';
import type { Usage } from '../endpoint/usage.ts';
import { billedUnitsOf } from './cost.ts';

/** What one run came to; with `--json` this is printed as it is. */
export interface RunResult {
  readonly status: ExportState['status'];
  readonly connection: string;
  readonly exportId: string;
  readonly pages: number;
  readonly customers: number;
  readonly requests: number;
  /** Requests that were answered by a throttle. */
  readonly throttled: number;
  readonly waitedSeconds: number;
  /** By the log of the simulated API; `null` for an API whose log is not ours. */
  readonly earlyRequests: number | null;
  /** Files of the parts that count, in order. */
  readonly parts: readonly string[];
  /** File of the manifest; `null` when the export did not complete. */
  readonly manifest: string | null;
  /** File of the report of what the records look like; `null` when there is none. */
  readonly schema: string | null;
  readonly completeness: Completeness | null;
  /** What was found about the list but not believed: look at `metaKeys`. */
  readonly warnings: readonly ListWarning[];
  /** Whether the files hold what the simulated API has, record by record; `null` for another API. */
  readonly matchesApi: boolean | null;
  /** Why the export stopped, and what to do. */
  readonly reason: ExportReason | null;
  readonly elapsedSeconds: number;
  readonly estimatedCostUsd: number;
}

export interface RunFindings {
  readonly state: ExportState;
  readonly usage: Usage;
  readonly elapsedMs: number;
  readonly manifest?: { readonly content: Manifest; readonly file: string };
  readonly partFiles: readonly string[];
  readonly schemaFile?: string;
  readonly earlyRequests?: number | undefined;
  readonly matchesApi?: boolean | undefined;
}

export function runResultOf(findings: RunFindings): RunResult {
  const { state, usage } = findings;
  const { counters } = state;
  return {
    status: state.status,
    connection: state.connection,
    exportId: state.exportId,
    pages: counters.pages,
    customers: counters.customers,
    requests: counters.requests,
    throttled: counters.throttles,
    waitedSeconds: counters.waitedSeconds,
    earlyRequests: findings.earlyRequests ?? null,
    parts: findings.partFiles,
    manifest: findings.manifest?.file ?? null,
    schema: findings.schemaFile ?? null,
    completeness: state.completeness ?? null,
    warnings: state.warnings ?? [],
    matchesApi: findings.matchesApi ?? null,
    reason: state.reason ?? null,
    elapsedSeconds: Math.round(findings.elapsedMs / 100) / 10,
    estimatedCostUsd: Number(costUsdOf(billedUnitsOf(usage)).toFixed(7)),
  };
}
