import { readFile } from 'node:fs/promises';
import { defined } from '../../../lib/defined.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { parseListSchema } from '../../../lib/exports/list-schema.ts';
import { exportPrefix } from '../../../lib/exports/store-objects.ts';
import { fileOf, storeFile } from '../../command-line/out-folder.ts';
import { costByService } from '../../cost/billed-units.ts';
import { PRICES } from '../../cost/prices.ts';
import type {
  LoggedRequest,
  ReportChanges,
  ReportData,
  RequestLimit,
} from '../../report/report-data.ts';
import { limitOfSettings, reportFacts } from '../../report/report-facts.ts';
import { REPORT_FILE, reportPage } from '../../report/report-page.ts';
import type { RequestLogEntry } from '../../simulator/request-log.ts';
import type { Usage } from '../endpoint/usage.ts';
import type { ComparedExport } from './changes-result.ts';
import type { ExportedApi } from './demo-api.ts';
import type { RunExport } from './run-result.ts';
import type { StartOptions } from './start-options.ts';

interface ReportedRun extends Pick<StartOptions, 'out' | 'settings'> {
  readonly api: Pick<ExportedApi, 'limit' | 'truth'>;
  readonly usage: Usage;
  readonly earlyRequests?: number | undefined;
}

/**
 * Writes a page about each export beside its files, the earlier ones of a run with changes too.
 *
 * @throws DiskError when it cannot be written.
 */
export async function writeReports(
  exports: readonly RunExport[],
  run: ReportedRun,
): Promise<readonly RunExport[]> {
  const logged = run.api.truth?.requests();
  const write = async (each: RunExport): Promise<RunExport> => {
    const earlier = each.earlier && { earlier: await write(each.earlier) };
    const { state } = each;
    if (state === undefined) return { ...each, ...earlier };
    const reportFile = fileOf(run.out, exportPrefix(state) + REPORT_FILE);
    const page = reportPage(await reportData({ ...each, state }, run, logged));
    await storeFile(reportFile, Buffer.from(page));
    return { ...each, ...earlier, reportFile };
  };
  return Promise.all(exports.map(write));
}

async function reportData(
  each: RunExport & { readonly state: ExportState },
  { api, settings, usage, earlyRequests }: ReportedRun,
  logged: readonly RequestLogEntry[] | undefined,
): Promise<ReportData> {
  const { state, course = [], manifest, schemaFile, matchesApi } = each;
  const facts = reportFacts(state);
  const schema = schemaFile && parseListSchema(await readFile(schemaFile, 'utf8'));
  const { region, asOf } = PRICES;
  return {
    ...facts,
    course,
    ...defined({
      requests: logged && {
        from: "by the API's own log",
        entries: requestsOf(state, facts.endedAtMs, logged),
      },
      limit: limitOf(api, settings),
      reason: state.reason,
      manifest: manifest?.content,
      schema: schema || undefined,
      changes: changesOf(each),
      earlyRequests,
      matchesApi,
    }),
    cost: {
      byService: costByService(usage.billed),
      basis: `Operations of the whole run at ${region} prices of ${asOf}`,
    },
  };
}

/** The lists of a connection take turns, so what came in this time for this list's records is its own. */
function requestsOf(
  { plan, startedAtMs }: ExportState,
  endedAtMs: number,
  logged: readonly RequestLogEntry[],
): readonly LoggedRequest[] {
  return logged
    .filter(
      ({ at, resource }) => resource === plan.resource && at >= startedAtMs && at <= endedAtMs,
    )
    .map(({ at, status }) => ({ atMs: at, outcome: outcomeOf(status) }));
}

function outcomeOf(status: RequestLogEntry['status']): LoggedRequest['outcome'] {
  if (status === 429) return 'throttled';
  return typeof status === 'number' && status < 400 ? 'answered' : 'failed';
}

function limitOf(
  { limit }: ReportedRun['api'],
  { requestsPerSecond }: ReportedRun['settings'],
): RequestLimit | undefined {
  const simulated = limit && { ...limit, says: 'the simulated API allows' };
  return typeof requestsPerSecond === 'number' ? limitOfSettings(requestsPerSecond) : simulated;
}

function changesOf({ comparison }: ComparedExport): ReportChanges | undefined {
  if (comparison === undefined) return undefined;
  const { summary, samples } = comparison;
  const { state, counts, reason, since } = summary;
  return { state, counts, samples, ...defined({ reason, since: since?.exportId }) };
}
