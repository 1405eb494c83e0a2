import {
  CHANGE_KINDS,
  type Change,
  idAsText,
  parseChangeLine,
} from '../../../lib/changes/change.ts';
import type { ChangeCounts, ChangesSummary } from '../../../lib/changes/changes-summary.ts';
import { defined } from '../../../lib/defined.ts';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { linesIn } from '../../command/download/part-files.ts';
import type { ChangeSample } from '../../report/report-data.ts';
import { COMPARED_WITHIN_SECONDS } from './until-there.ts';

/** What the second export of a list has found different from the first one. */
export interface ListChanges {
  /** As in the summary of the changes; `missing`: there is no comparison. */
  readonly state: ChangesSummary['state'] | 'missing';
  /** Why nothing was compared; `null` when it was. */
  readonly reason: string | null;
  /** Id of the first export. */
  readonly since: string | null;
  readonly counts: ChangeCounts | null;
  /** Share of the earlier records that are gone. */
  readonly removedPercent: number | null;
  /** A larger share is held back until a person has looked. */
  readonly maxRemovedPercent: number | null;
  /** Some of each kind. */
  readonly samples: readonly ChangeSample[];
  /** All changes, one a line. */
  readonly files: readonly string[];
  /** File of the counts; `null` when there is no comparison. */
  readonly summary: string | null;
  /** Whether this is what happened by the simulated API's own record; `null` for another API. */
  readonly matchesApi: boolean | null;
}

export interface Comparison {
  readonly summary: ChangesSummary;
  readonly summaryFile: string;
  readonly files: readonly string[];
  readonly samples: readonly ChangeSample[];
  readonly matchesApi?: boolean | undefined;
}

const SAMPLES = 3;

export async function samplesIn(
  files: readonly string[],
  counts: ChangeCounts,
): Promise<readonly ChangeSample[]> {
  const found: Record<Change['change'], ChangeSample[]> = { added: [], changed: [], removed: [] };
  const isEnough = () =>
    CHANGE_KINDS.every((kind) => found[kind].length >= Math.min(SAMPLES, counts[kind]));
  for await (const line of linesOf(files)) {
    if (isEnough()) break;
    const kind = CHANGE_KINDS.find((each) => line.startsWith(`{"change":"${each}"`));
    if (kind === undefined || found[kind].length >= SAMPLES) continue;
    const change = parseChangeLine(line);
    if (change !== undefined) found[kind].push(sampleOf(change));
  }
  return CHANGE_KINDS.flatMap((kind) => found[kind]);
}

export async function idsOfChanges(files: readonly string[]) {
  const ids = { added: new Set<string>(), changed: new Set<string>(), removed: new Set<string>() };
  for await (const line of linesOf(files)) {
    const change = parseChangeLine(line);
    if (change !== undefined) ids[change.change].add(idAsText(change.id));
  }
  return ids;
}

async function* linesOf(files: readonly string[]): AsyncGenerator<string, void> {
  for (const file of files) for await (const lines of linesIn(file)) yield* lines;
}

function sampleOf({ change, id, members }: Change): ChangeSample {
  return { change, id: idAsText(id), ...defined({ members }) };
}

/** An export of a run that is to show changes. */
export interface ComparedExport {
  /** Of the newest export of the list; absent when its turn did not come. */
  readonly state?: ExportState;
  /** The first export of a list that was exported twice. */
  readonly earlier?: { readonly exportId: string; readonly state?: ExportState };
  readonly comparison?: Comparison;
}

export function listChangesOf(each: ComparedExport): ListChanges {
  const { comparison } = each;
  if (comparison === undefined) return { ...NOTHING, reason: whyNotCompared(each) };
  const { summary, summaryFile, files, samples, matchesApi } = comparison;
  return {
    state: summary.state,
    reason: summary.reason ?? null,
    since: summary.since?.exportId ?? null,
    counts: summary.counts,
    removedPercent: summary.removedPercent,
    maxRemovedPercent: summary.maxRemovedPercent,
    samples,
    files,
    summary: summaryFile,
    matchesApi: matchesApi ?? null,
  };
}

const NOTHING: ListChanges = {
  state: 'missing',
  reason: null,
  since: null,
  counts: null,
  removedPercent: null,
  maxRemovedPercent: null,
  samples: [],
  files: [],
  summary: null,
  matchesApi: null,
};

function whyNotCompared({ state, earlier }: ComparedExport): string {
  const which = earlier === undefined ? 'first' : 'second';
  const verdict = state?.completeness?.verdict;
  if (state?.status !== 'completed' || verdict === undefined) {
    return `The ${which} export is ${state?.status ?? 'queued'}, and only complete ones are compared.`;
  }
  if (verdict !== 'complete') {
    return `The ${which} export is ${verdict}, and only complete ones are compared.`;
  }
  return `The comparison did not come within ${COMPARED_WITHIN_SECONDS} s after the export.`;
}
