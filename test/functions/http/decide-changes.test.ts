import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ChangeState } from '../../../lib/changes/change-state.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';
import { stateOf } from '../../lib/exports/state-of.ts';
import { type ApiWorld, startApiWorld } from './api-world.ts';
import { createOpenApiClient, documentedAnswers } from './openapi-client.ts';

let world: ApiWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startApiWorld();
  client = createOpenApiClient(world.ask);
});
afterAll(() => world.close());

const BY = 'arn:aws:iam::123456789012:user/ada';

const decide = (connection: string, exportId: string, body: object, more = {}) =>
  client.call('decideChanges', { connection, exportId }, { body: JSON.stringify(body), ...more });

/** Changes that wait for a person, with the line of their list. */
async function putHeld(connection: string, own: Partial<ChangeState> = {}): Promise<string> {
  const state = changeStateOf({
    connection,
    exportId: 'held',
    status: 'held',
    closed: true,
    ...own,
  });
  await world.changes.writeChange(state, undefined);
  const { list, exportId, since } = state;
  await world.changes.writeComparisonLine(
    {
      v: 1,
      connection,
      list,
      writeToken: 'line',
      ...(since === undefined ? {} : { base: since }),
      held: exportId,
    },
    undefined,
  );
  return exportId;
}

test('releases changes that are held: they are the base then, and their events are asked for', async () => {
  const exportId = await putHeld('alpha', { recordEvents: true });
  const answer = await decide('alpha', exportId, { decision: 'release' });

  expect(answer).toMatchObject({
    status: 200,
    body: { exportId, status: 'publishing', decision: { decision: 'release', by: BY } },
  });
  expect(world.wokenChanges()).toEqual([exportId]);
  expect(await world.changes.readComparisonLine('alpha', 'customers')).toMatchObject({
    base: { exportId },
    publishing: exportId,
  });
  expect(world.logged.join('')).toMatch(
    /"Changes decided".*"decision":"release".*"by":"arn:aws:iam::123456789012:user\/ada".*"RecordsRemoved":1/,
  );
  const again = await decide('alpha', exportId, { decision: 'release' });
  expect(again).toMatchObject({ status: 200, body: { status: 'publishing' } });
  // What is told is counted once, however often it is asked for.
  expect(world.logged.filter((line) => line.includes('"RecordsRemoved"'))).toHaveLength(1);
  const other = await decide('alpha', exportId, { decision: 'discard' });
  expect(other).toMatchObject({ status: 409, body: { code: 'not-waiting' } });
});

test('discards changes that are held: nothing is told, and the base stays', async () => {
  const exportId = await putHeld('beta', { recordEvents: true });
  const answer = await decide('beta', exportId, { decision: 'discard' });

  expect(answer).toMatchObject({ status: 200, body: { exportId, status: 'discarded' } });
  const line = await world.changes.readComparisonLine('beta', 'customers');
  expect(line).toMatchObject({ base: { exportId: 'before' } });
  expect(line).not.toHaveProperty('held');
  const late = await decide('beta', exportId, { decision: 'release' });
  expect(late).toMatchObject({ status: 409, body: { code: 'not-waiting' } });
});

test('an export that is not there, or not compared, has nothing to decide', async () => {
  expect(await decide('small', 'none', { decision: 'release' })).toMatchObject({ status: 404 });
  await world.ledger.writeExport(stateOf({ connection: 'small', exportId: 'one' }), undefined);
  const answer = await decide('small', 'one', { decision: 'release' });
  expect(answer).toMatchObject({ status: 409, body: { code: 'not-waiting' } });
});

test('only somebody who is known decides, and one of the two', async () => {
  const exportId = await putHeld('waiting');
  const unknown = { authorizer: { jwt: { claims: {} } } };
  const answer = await decide('waiting', exportId, { decision: 'release' }, unknown);
  expect(answer).toMatchObject({ status: 403, body: { code: 'unknown-caller' } });
  for (const body of [{}, { decision: 'forget' }, { decision: 'release', by: 'me' }]) {
    expect(await decide('waiting', exportId, body)).toMatchObject({ status: 400 });
  }
  expect(await world.changes.readChange('waiting', exportId)).toMatchObject({ status: 'held' });
});

test('gives every answer that the document has, and no other', async () => {
  await world.putBrokenChange('slow', 'broken');
  expect(await decide('slow', 'broken', { decision: 'release' })).toMatchObject({ status: 500 });
  await client.call('decideChanges', { connection: 'slow', exportId: 'x' }, { method: 'GET' });
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));

  expect([...new Set(given)].sort()).toEqual(
    documentedAnswers(({ operationId }) => operationId === 'decideChanges'),
  );
});
