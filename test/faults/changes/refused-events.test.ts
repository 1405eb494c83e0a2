import { expect, test } from '@jest/globals';
import type { ChangeDecision } from '../../../lib/changes/change-state.ts';
import { ChangeWorld, LIST, type Records } from './change-world.ts';

const HOUR_MS = 3600 * 1000;

const recordsOf = (ids: readonly number[]): Records =>
  new Map(ids.map((id) => [String(id), `{"id":${id}}`]));

/** EventBridge takes no event from the second export on, until `takesAgainAtMs` after the start. */
async function refusing(takesAgainAtMs: number, decision?: ChangeDecision['decision']) {
  const start = new ChangeWorld().clock.now();
  const options = {
    get refusals() {
      return world.clock.now() < start + takesAgainAtMs ? 1 : 0;
    },
  };
  const world: ChangeWorld = new ChangeWorld(options);
  const at = (ms: number, work: () => void) => world.clock.at(start + ms, work);
  world.completed('e0', recordsOf([1, 2]));
  at(HOUR_MS, () => world.completed('e1', recordsOf([1, 2, 3])));
  at(3 * HOUR_MS, () => world.completed('e2', recordsOf([1, 2, 3, 4])));
  const decided: string[] = [];
  if (decision !== undefined) {
    at(7 * HOUR_MS, () => {
      const answer = world.decide({ exportId: 'e1', decision, by: 'arn:person' });
      void answer.then(({ kind }) => decided.push(kind));
    });
  }
  await world.runOut(start + 12 * HOUR_MS);
  const ids = world.told.map(({ detail }): string => JSON.parse(detail).recordId);
  const statusOf = (exportId: string) => world.ledger.readChange(LIST.connection, exportId)?.status;
  return { ids, decided, statuses: ['e1', 'e2'].map(statusOf) };
}

test('events that are refused for hours are told in the end, before those of the next export', async () => {
  const { ids, statuses } = await refusing(9 * HOUR_MS);
  expect(ids).toEqual(['3', '4']);
  expect(statuses).toEqual(['published', 'published']);
});

test('what is refused for ever can be discarded, and the list goes on', async () => {
  const { ids, decided, statuses } = await refusing(7 * HOUR_MS, 'discard');
  expect(decided).toEqual(['decided']);
  expect(ids).toEqual(['4']);
  expect(statuses).toEqual(['discarded', 'published']);
});

test('what is being told cannot be released: it is', async () => {
  const { ids, decided, statuses } = await refusing(9 * HOUR_MS, 'release');
  expect(decided).toEqual(['not-waiting']);
  expect(ids).toEqual(['3', '4']);
  expect(statuses).toEqual(['published', 'published']);
});
