import { hash } from 'node:crypto';
import type { ChangeState } from '../../lib/changes/change-state.ts';
import { readChangesPage } from '../../lib/changes/changes-page.ts';
import { type ChangesSummary, parseChangesSummary } from '../../lib/changes/changes-summary.ts';
import type { ChangeLedger } from '../../lib/changes/ports.ts';
import { defined } from '../../lib/defined.ts';
import type { ExportState } from '../../lib/exports/export-state.ts';
import type { Ledger, Store } from '../../lib/exports/ports.ts';
import { unlessNoSuchKey } from '../aws/call-aws.ts';
import { jsonTextAnswer } from './answer.ts';
import { changesView } from './changes-view.ts';
import { completedExport, filesGone } from './completed-export.ts';
import { parsePlace, placeText } from './cursor.ts';
import { MAX_ANSWER_BYTES } from './page-answer.ts';
import { invalidRequest, type Problem, type ProblemMembers, problem } from './problem.ts';
import { AFTER_EXPECTED, type ROUTES } from './routes.ts';
import type { Route } from './serve-routes.ts';

interface Ports {
  readonly ledger: Pick<Ledger, 'readExport' | 'readLine'> &
    Pick<ChangeLedger, 'readChange' | 'readComparisonLine'>;
  readonly store: Pick<Store, 'read' | 'readBytes'>;
}

const DEFAULT_LIMIT = 100;
/** What is beside the changes has less. */
const MAX_CHANGES_BYTES = MAX_ANSWER_BYTES - 16 * 1024;

export const listChanges: Route<typeof ROUTES.listChanges, Ports, unknown> = async (
  call,
  { ledger, store },
) => {
  const { connection, input, log, caller: by } = call;
  const { exportId } = input.path;
  const { limit = DEFAULT_LIMIT, after, change: kind, records: withRecords } = input.query;
  const found = await completedExport(ledger, connection, exportId, 'changes');
  if (found.kind === 'problem') return found;
  const change = await ledger.readChange(connection, exportId);
  if (change === undefined || !isCompared(change)) {
    return notCompared(ledger, found.state, change);
  }

  const { summary } = change;
  // An export that is compared again may have other changes.
  const place = [connection, exportId, summary.sha256.slice(0, 16)];
  const line = after === undefined ? 0 : parsePlace(place, after);
  if (line === undefined) return invalidRequest('after', `after: ${AFTER_EXPECTED}.`);
  const stored = await store.read(summary.key);
  if (stored === undefined) return filesGone(summary.key);
  const { files } = summaryOf(change, stored.text);
  const ask = { line, limit, kind, withRecords, maxBytes: MAX_CHANGES_BYTES };
  const page = await unlessNoSuchKey(() => readChangesPage(files, ask, store.readBytes));
  if (page === undefined) return filesGone(`A file of ${summary.key}`);
  const { changes, next } = page;
  log.info('Changes listed', { by, exportId, changes: changes.length, withRecords, line });
  const cursor = next === undefined ? null : placeText(place, next);
  const facts = JSON.stringify(changesView(change)).slice(0, -1);
  return jsonTextAnswer(
    200,
    `${facts},"changes":[${changes.join(',')}],"next":${JSON.stringify(cursor)}}`,
  );
};

type Compared = Exclude<ChangeState['status'], 'first' | 'refused' | 'outdated'>;

function isCompared(change: ChangeState): change is ChangeState & { readonly status: Compared } {
  return !['first', 'refused', 'outdated'].includes(change.status);
}

/** @throws RangeError when it is not the one that was written. */
function summaryOf({ summary }: ChangeState, text: string): ChangesSummary {
  const parsed = hash('sha256', text) === summary.sha256 ? parseChangesSummary(text) : undefined;
  if (parsed !== undefined) return parsed;
  throw new RangeError(`${summary.key}: expected the summary that was written with the changes`);
}

async function notCompared(
  ledger: Ports['ledger'],
  { connection, list, startedAtMs, completeness }: ExportState,
  change: ChangeState | undefined,
): Promise<Problem> {
  const because = (changesStatus: ProblemMembers['changesStatus'], detail: string) =>
    problem('not-compared', detail, defined({ changesStatus }));
  const verdict = completeness?.verdict;
  if (verdict !== 'complete') return because('incomplete', incomplete(verdict));
  const { status, reason } = change ?? {};
  if (status === 'first') return because('first', `${reason ?? NONE_BEFORE} ${NEXT_WITH_THIS}`);
  if (status === 'refused') return because('refused', `${reason} ${NEXT_WITH_BEFORE}`);
  const line = await ledger.readComparisonLine(connection, list);
  const isOvertaken = (line?.base?.startedAtMs ?? 0) > startedAtMs;
  return isOvertaken ? because('overtaken', OVERTAKEN) : because('waiting', WAITING);
}

function incomplete(verdict: string | undefined): string {
  return `The verdict of the export is ${verdict ?? 'not known'}, and only a complete one is compared: else what was not read would count as removed. Its completeness says why; the next complete one is compared with the last complete one before.`;
}

const NONE_BEFORE = 'There is no complete export before this one.';
const NEXT_WITH_THIS = 'The next complete export is compared with it.';
const NEXT_WITH_BEFORE = 'The next complete export is compared with the one before this.';
const OVERTAKEN =
  'A newer export was compared before it came to this one. The changes of that one have those of this one in them.';
const WAITING =
  'It is not compared yet. That takes minutes after its end, and it waits for changes of earlier exports of the list that are still being published: ask again then. An export that ended before exports were compared never is.';
