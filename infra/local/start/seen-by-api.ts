import { CHANGE_KINDS } from '../../../lib/changes/change.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import type { IdsByChange, Period } from '../../simulator/list-history.ts';
import { idsOfChanges } from './changes-result.ts';
import type { ExportedApi } from './demo-api.ts';
import { type ApiTruth, recordsIn } from './demo-truth.ts';
import type { RunExport, RunFindings } from './run-result.ts';

/** What only a simulated API knows about a run. */
export async function seenByApi(
  exports: readonly RunExport[],
  { truth }: ExportedApi,
): Promise<Pick<RunFindings, 'earlyRequests' | 'exports'>> {
  if (truth === undefined) return { exports };
  const compared = exports.map((each) => comparedWith(truth, each));
  return { earlyRequests: truth.earlyRequests(), exports: await Promise.all(compared) };
}

async function comparedWith(truth: ApiTruth, each: RunExport): Promise<RunExport> {
  const { state, manifest, partFiles, comparison, earlier } = each;
  if (state === undefined || manifest === undefined) return each;
  const history = truth.historyOf(state.plan);
  if (history === undefined) return each;
  const records = await recordsIn(partFiles);
  const matchesApi = records !== undefined && history.mayBeRead(periodOf(state), records);
  if (comparison === undefined || earlier?.state === undefined) return { ...each, matchesApi };
  const told = await idsOfChanges(comparison.files);
  const expected = history.compare(periodOf(earlier.state), periodOf(state));
  const isTruth = isWithin(expected.certain, told) && isWithin(told, expected.possible);
  return { ...each, matchesApi, comparison: { ...comparison, matchesApi: isTruth } };
}

/** While the list was read. */
function periodOf({ startedAtMs, end }: ExportState): Period {
  return { fromMs: startedAtMs, toMs: end?.atMs ?? startedAtMs };
}

function isWithin(ids: IdsByChange, others: IdsByChange): boolean {
  return CHANGE_KINDS.every((kind) => [...ids[kind]].every((id) => others[kind].has(id)));
}
