import { readJsonBody } from '../../../lib/customers-api/answer-json.ts';
import { answerPlan } from '../../../lib/customers-api/answer-plan.ts';
import type { ListOutcome } from '../../../lib/customers-api/outcome.ts';
import { pageOf } from '../../../lib/customers-api/page.ts';
import { errorOutline, reactionTo, withFacts } from '../../../lib/customers-api/reaction.ts';
import { connectionListsOf } from '../../../lib/exports/connection-lists.ts';
import type { ListSettings } from '../../../lib/exports/list-settings.ts';
import { storedRecords } from '../../faults/checks.ts';
import { EXPORT_ID, isOver, startIn } from '../../faults/run-export.ts';
import { CONNECTION, World } from '../../faults/world.ts';
import type { ListAnswer, ListQuestion } from './model-list.ts';

/** Exports the list with settings as a user pastes them, and gives the records that are stored and the verdict. */
export async function exportedWith(
  settings: object,
  answer: (question: ListQuestion) => ListAnswer,
) {
  const lists = connectionListsOf(settings, {});
  const list = lists.get('customers');
  if (list === undefined) throw new Error('There is no list of customers.');
  const world = new World({
    behaviour: ({ page, perPage }) => outcomeOf(answer({ page, perPage }), page, list),
  });
  world.rules = { ...world.rules, lists };
  await startIn(world);
  await world.runUntil(() => isOver(world), true);
  const state = world.ledger.readExport(CONNECTION, EXPORT_ID);
  const isCompleted = state?.status === 'completed';
  return {
    status: state?.status,
    completeness: state?.completeness,
    reason: state?.reason,
    records: isCompleted ? storedRecords(world, EXPORT_ID) : [],
    requests: world.requests.length,
  };
}

function outcomeOf(
  { status, body }: ListAnswer,
  page: number,
  { resource, itemsKey, metaKeys = {}, idKey }: ListSettings,
): ListOutcome {
  const reaction = reactionTo(status, undefined, {
    authenticationStatuses: [401, 403],
    guesses: 0,
    random: 0,
  });
  const answer = {
    kind: 'answer',
    status,
    headers: new Headers(),
    body: { bytes: Buffer.from(body), release: () => undefined },
  } as const;
  const facts = { status };
  if (reaction !== undefined) return withFacts(reaction, facts, errorOutline(answer));
  const json = readJsonBody(answer, () => false, 1e9, answerPlan(metaKeys));
  if (json.kind !== 'json') throw new Error(json.problem);
  return pageOf(json, { page, resource, itemsKey, metaKeys, idKey, facts, holdsKey: () => false });
}
