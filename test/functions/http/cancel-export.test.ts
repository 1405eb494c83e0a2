import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ExportState } from '../../../lib/exports/export-state.ts';
import { END, stateOf } from '../../lib/exports/state-of.ts';
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
const REASON = 'Started by mistake.';

const started = async (connection: string, key: string) =>
  Object(await client.call('startExport', { connection, 'Idempotency-Key': key })).body.export
    .exportId;
const cancel = (connection: string, exportId: string, body: object, more = {}) =>
  client.call('cancelExport', { connection, exportId }, { body: JSON.stringify(body), ...more });

async function put(connection: string, own: Partial<ExportState>): Promise<string> {
  const state = stateOf({ connection, exportId: `request-${own.status}`, ...own });
  await world.ledger.writeExport(state, undefined);
  return state.exportId;
}

test('ends an export that waits for its next step, and says who did it and why', async () => {
  const exportId = await started('alpha', 'a');
  const answer = await cancel('alpha', exportId, { reason: ` ${REASON} ` });

  expect(answer).toMatchObject({
    status: 200,
    body: {
      exportId,
      status: 'cancelled',
      manifestKey: null,
      reason: { code: 'cancelled', message: expect.stringContaining(`${BY}: ${REASON}`) },
      cancellation: { by: BY, reason: REASON, parts: 'keep', removedAt: null },
    },
  });
  expect(world.logged.join('')).toMatch(
    /"Export cancelled".*"by":"arn:aws:iam::123456789012:user\/ada".*"ExportsCancelled":1/,
  );
  expect(await world.ledger.readLine('alpha')).toBeUndefined();
  const { body } = await client.call('showExport', { connection: 'alpha', exportId });
  expect(body).toEqual(answer.body);

  const again = await cancel('alpha', exportId, { reason: 'Once more.' });
  expect(again.body).toEqual(answer.body);
  const other = await cancel('alpha', exportId, { reason: REASON, parts: 'remove' });
  expect(other).toMatchObject({
    status: 409,
    body: {
      ...{ code: 'not-cancellable', exportStatus: 'cancelled' },
      detail: expect.stringMatching(/was stored of it is kept\.$/),
    },
  });
  // One that was cancelled before is counted once.
  expect(world.logged.filter((line) => line.includes('"ExportsCancelled"'))).toHaveLength(1);
});

test('asks a worker to remove the parts, and keeps the place in the line until that is done', async () => {
  const exportId = await started('beta', 'a');
  const before = world.wokenUp().filter((each) => each === exportId).length;
  const answer = await cancel('beta', exportId, { reason: REASON, parts: 'remove' });

  expect(answer).toMatchObject({ status: 200, body: { cancellation: { removedAt: null } } });
  expect(world.wokenUp().filter((each) => each === exportId)).toHaveLength(before + 1);
  expect(await world.ledger.readLine('beta')).toMatchObject({ entries: [{ exportId }] });
});

test('tells the worker of a running export by the gate, and leaves its lease to it', async () => {
  const exportId = await started('rotated', 'a');
  const state = await world.ledger.readExport('rotated', exportId);
  if (state === undefined) throw new Error('no export');
  const lease = { owner: 'worker', untilMs: Date.now() + 60_000 };
  await world.ledger.writeExport({ ...state, writeToken: 'claimed', lease }, state.writeToken);
  await cancel('rotated', exportId, { reason: REASON });

  expect(await world.gates.read('rotated')).toMatchObject({ stoppedExportId: exportId });
  expect(await world.ledger.readExport('rotated', exportId)).toMatchObject({
    status: 'cancelled',
    lease,
  });
});

test.each<[string, Partial<ExportState>, string]>([
  ['completed', { status: 'completed' }, 'The export is completed already.'],
  ['failed', { status: 'failed' }, 'The export is failed already.'],
  [
    'running, with all its pages',
    { status: 'running', end: END },
    'All of its pages are there, and it is being completed.',
  ],
])('leaves an export as it is that is %s', async (_, own, detail) => {
  const exportId = await put('small', own);
  expect(await cancel('small', exportId, { reason: REASON })).toMatchObject({
    status: 409,
    body: { code: 'not-cancellable', exportStatus: own.status, detail },
  });
  expect(await world.ledger.readExport('small', exportId)).toMatchObject({ status: own.status });
});

test.each<[string, object, string]>([
  ['no reason', {}, 'reason'],
  ['a blank reason', { reason: ' ' }, 'reason'],
  ['a reason that is too long', { reason: 'x'.repeat(1_025) }, 'reason'],
  ['parts that are neither', { reason: REASON, parts: 'delete' }, 'parts'],
  ['another member', { reason: REASON, force: true }, 'force'],
])('cancels nothing for %s', async (_, body, field) => {
  const exportId = await started('slow', 'a');
  expect(await cancel('slow', exportId, body)).toMatchObject({ status: 400, body: { field } });
  expect(await world.ledger.readExport('slow', exportId)).toMatchObject({ status: 'running' });
});

test('cancels nothing for somebody unknown, and nothing of another connection', async () => {
  const exportId = await started('waiting', 'a');
  const unknown = await cancel(
    'waiting',
    exportId,
    { reason: REASON },
    { authorizer: { jwt: { claims: {} } } },
  );
  expect(unknown).toMatchObject({ status: 403, body: { code: 'unknown-caller' } });
  expect(await cancel('stale', exportId, { reason: REASON })).toMatchObject({
    status: 404,
    body: { code: 'unknown-export' },
  });
  expect(await world.ledger.readExport('waiting', exportId)).toMatchObject({ status: 'running' });
});

test('gives every answer that the document has, and no other', async () => {
  await world.putBrokenExport('stale', 'request-broken');
  expect(await cancel('stale', 'request-broken', { reason: REASON })).toMatchObject({
    status: 500,
    body: { code: 'unreadable-item' },
  });
  await cancel('stale', 'request-x', { reason: REASON }, { method: 'GET' });
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));
  const own = given.filter((answer) => answer.startsWith('cancelExport'));

  expect([...new Set(own)].sort()).toEqual(
    documentedAnswers(({ operationId }) => operationId === 'cancelExport'),
  );
});

test('no key is in any line of the log', () => {
  expect(world.logged.join('')).toContain('Export cancelled');
  expect(world.logged.join('')).not.toMatch(/cAnArY/);
});
