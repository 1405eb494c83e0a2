import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { ROUTES } from '../../../functions/http/routes.ts';
import type { Fault } from '../../../infra/simulator/faults.ts';
import { changeStateOf } from '../../lib/changes/change-state-of.ts';
import { walkWith } from '../../lib/exports/state-of.ts';
import { type ApiWorld, CANARIES, startApiWorld } from './api-world.ts';
import {
  createOpenApiClient,
  documentedAnswers,
  OPENAPI_FILE,
  operations,
  problemsOfBody,
} from './openapi-client.ts';

let world: ApiWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startApiWorld();
  client = createOpenApiClient(world.ask);
});
afterAll(() => world.close());

const SEC = 1_000;
const byId = (a: { operationId: string }, b: { operationId: string }) =>
  a.operationId.localeCompare(b.operationId);
const requestsOf = (organization: string) =>
  world.simulator.log.entries.filter(({ keyId }) => keyId.startsWith(`${organization}/`)).length;
const faultFor = (organization: string, fault: Fault['fault']) =>
  world.simulator.setFaults([{ when: { organization }, fault }]);
const idOf = ({ exportId }: { readonly exportId: string }) => exportId;
const started = async (connection: string, key: string) =>
  Object(await client.call('startExport', { connection, 'Idempotency-Key': key })).body.export
    .exportId;

test('is described by a valid OpenAPI document whose examples fit', async () => {
  expect(await new Validator().validate(OPENAPI_FILE)).toEqual({ valid: true });
  for (const { operationId, responses } of operations) {
    for (const [status, { content }] of Object.entries(responses)) {
      for (const { schema, example } of Object.values(content)) {
        expect([operationId, status, problemsOfBody(schema, example)]).toEqual([
          operationId,
          status,
          [],
        ]);
      }
    }
  }
});

test('describes each route that is served, with what it takes, and no other', () => {
  const namesIn = (input: unknown, part: string) =>
    Object.keys(Object(input).entries[part]?.entries ?? {});
  const served = Object.entries(ROUTES).map(([operationId, { method, path, of, input }]) => ({
    operationId,
    method,
    path,
    tags: [of],
    names: [
      ...(path.match(/(?<=\{)\w+/g) ?? []),
      ...namesIn(input, 'query'),
      ...namesIn(input, 'headers'),
    ].sort(),
  }));
  const described = operations.map(({ operationId, method, path, tags, parameters }) => ({
    operationId,
    method,
    path,
    tags,
    names: parameters
      .map(({ name, in: place }) => (place === 'header' ? name.toLowerCase() : name))
      .sort(),
  }));

  expect(described.sort(byId)).toEqual(served.sort(byId));
});

test('starts an export, says where it is, and sends its wake-up', async () => {
  const answer = await client.call('startExport', { connection: 'alpha', 'Idempotency-Key': 'a' });

  expect(answer).toMatchObject({
    status: 202,
    body: { result: 'started', export: { connection: 'alpha', status: 'running' } },
  });
  const { exportId } = Object(answer.body['export']);
  expect(answer.headers['location']).toBe(`exports/${exportId}`);
  expect(world.wokenUp()).toEqual([exportId]);
});

test('gives the same export for the same Idempotency-Key, and joins it for any other request', async () => {
  const exportId = await started('alpha', 'a');

  const again = await client.call('startExport', { connection: 'alpha', 'Idempotency-Key': 'a' });
  const other = await client.call('startExport', { connection: 'alpha', 'Idempotency-Key': 'b' });
  const none = await client.call('startExport', { connection: 'alpha' });

  expect(again.body).toMatchObject({ result: 'started', export: { exportId } });
  expect(other.body).toMatchObject({ result: 'joined', export: { exportId } });
  expect(none.body).toMatchObject({ result: 'joined', export: { exportId } });
  expect(world.wokenUp()).toEqual([exportId]);
});

/** All exports of the connection, as if they were over. */
async function leaveLine(connection: string): Promise<void> {
  const line = await world.ledger.readLine(connection);
  if (line === undefined) return;
  await world.ledger.writeLine({ ...line, writeToken: 'none', entries: [] }, line.writeToken);
}

test('shows how far an export is, when it goes on and when it may be over', async () => {
  const exportId = await started('alpha', 'a');
  const state = await world.ledger.readExport('alpha', exportId);
  if (state === undefined) throw new Error('no export');
  const notBeforeMs = Date.now() + 60 * SEC;
  await world.ledger.writeExport(
    {
      ...state,
      writeToken: 'next',
      startedAtMs: state.startedAtMs - 100 * SEC,
      notBeforeMs,
      counters: { ...state.counters, pages: 5, customers: 25, throttles: 2, waitedSeconds: 9 },
      walk: walkWith(state.walk, { lastTotal: 60 }),
    },
    state.writeToken,
  );

  const { body } = await client.call('showExport', { connection: 'alpha', exportId });

  expect(body).toMatchObject({
    status: 'running',
    organizationId: null,
    progress: { pages: 5, customers: 25, totalCustomers: 60, percent: 41 },
    notBefore: new Date(notBeforeMs).toISOString(),
    waitsFor: 'throttled',
    waits: { throttles: 2, seconds: 9 },
    manifestKey: null,
  });
  const expectedEndMs = Date.parse(Object(body['progress']).expectedEndAt);
  // 25 in about 100 s, so 35 more take 140 s after the wait.
  expect(Math.abs(expectedEndMs - (notBeforeMs + 140 * SEC))).toBeLessThan(10 * SEC);
});

test('shows verdict, parts and manifest of a completed export, and says that a repeated start is over', async () => {
  const exportId = await started('alpha', 'a');
  const state = await world.ledger.readExport('alpha', exportId);
  if (state === undefined) throw new Error('no export');
  await world.ledger.writeExport(
    {
      ...state,
      writeToken: 'over',
      status: 'completed',
      wakeUpSent: true,
      parts: { count: 2, storedBytes: 77 },
      completeness: { verdict: 'complete', reasons: ['All agrees.'] },
    },
    state.writeToken,
  );
  await leaveLine('alpha');

  const shown = await client.call('showExport', { connection: 'alpha', exportId });
  const repeated = await client.call('startExport', {
    connection: 'alpha',
    'Idempotency-Key': 'a',
  });

  expect(shown.body).toMatchObject({
    status: 'completed',
    progress: { percent: 100, expectedEndAt: null },
    parts: { count: 2, storedBytes: 77 },
    manifestKey: `exports/connection=alpha/list=customers/export=${exportId}/manifest.json`,
    completeness: { verdict: 'complete' },
  });
  expect(repeated).toMatchObject({ status: 200, body: { result: 'over', export: { exportId } } });
});

test('shows what a complete export changed, wherever it is shown', async () => {
  const connection = 'alpha';
  const [{ exportId }] = Object((await client.call('listExports', { connection })).body['exports']);
  const changesShown = async () => [
    (await client.call('showExport', { connection, exportId })).body['changes'],
    Object((await client.call('listExports', { connection })).body['exports'])[0].changes,
    Object((await client.call('startExport', { connection, 'Idempotency-Key': 'a' })).body)[
      'export'
    ].changes,
  ];
  expect(await changesShown()).toEqual([null, null, null]);

  const change = changeStateOf({ connection, exportId, status: 'held' });
  await world.changes.writeChange(change, undefined);
  const shown = { status: 'held', counts: change.counts };
  expect(await changesShown()).toEqual([shown, shown, shown]);

  // It hides no export.
  await world.putBrokenChange(connection, exportId);
  expect(await changesShown()).toEqual([null, null, null]);
  expect(world.logged.join('')).toContain('Changes left out of an export');
});

test('lists exports newest first, page by page, each of them once', async () => {
  const ids: string[] = [];
  for (const key of ['one', 'two', 'three', 'four', 'five']) {
    const exportId = await started('beta', key);
    const state = await world.ledger.readExport('beta', exportId);
    if (state === undefined) throw new Error('no export');
    // Two of them at the same time.
    const startedAtMs = 1_000_000 + Math.floor(ids.length / 2);
    const over = { ...state, writeToken: key, status: 'failed', startedAtMs } as const;
    await world.ledger.writeExport(over, state.writeToken);
    await leaveLine('beta');
    ids.push(exportId);
  }

  const listed: string[] = [];
  let after: string | undefined;
  do {
    const cursor = after === undefined ? {} : { after };
    const { body } = await client.call('listExports', { connection: 'beta', limit: 2, ...cursor });
    listed.push(...Object(body['exports']).map(({ exportId }: { exportId: string }) => exportId));
    after = typeof body['next'] === 'string' ? body['next'] : undefined;
    if (listed.length > 0 && after !== undefined) {
      const strange = await client.call('listExports', { connection: 'alpha', after });
      expect(strange).toMatchObject({ status: 400, body: { field: 'after' } });
    }
  } while (after !== undefined);

  expect(listed).toHaveLength(5);
  expect(new Set(listed)).toEqual(new Set(ids));
  expect(listed[0]).toBe(ids[4]);
});

test('shows an export at the head of the list as soon as it is started, and keeps a cursor good', async () => {
  const before = await client.call('listExports', { connection: 'beta', limit: 2 });
  const exportId = await started('beta', 'six');

  const head = await client.call('listExports', { connection: 'beta', limit: 1 });
  const after = String(before.body['next']);
  const later = await client.call('listExports', { connection: 'beta', after });

  expect(head.body['exports']).toEqual([
    expect.objectContaining({ exportId, status: 'running', connection: 'beta' }),
  ]);
  expect(later.body).toMatchObject({ exports: [{}, {}, {}], next: null });
});

/** Starts an export of a list of one connection. */
const startList = (list: string, key: string) =>
  client.call(
    'startExport',
    { connection: 'rotated', 'Idempotency-Key': key },
    { body: JSON.stringify({ list }) },
  );

test('starts an export of the list that is asked for, and queues those of others', async () => {
  const first = await startList('invoices', 'a');
  const second = await startList('customers', 'a');
  const third = await startList('subscriptions', 'a');
  const again = await startList('subscriptions', 'b');

  expect(first.body).toMatchObject({
    result: 'started',
    export: { list: 'invoices', status: 'running' },
  });
  expect(second).toMatchObject({
    status: 202,
    body: {
      result: 'queued',
      export: { connection: 'rotated', list: 'customers', status: 'queued', place: 1 },
    },
  });
  expect(third.body).toMatchObject({ result: 'queued', export: { place: 2 } });
  expect(again.body).toEqual(third.body);
  const { exportId } = Object(third.body['export']);
  expect(third.headers['location']).toBe(`exports/${exportId}`);
  const ids = [first, second, third].map(({ body }) => Object(body['export']).exportId);
  expect(new Set(ids).size).toBe(3);
  // Only the one that runs is woken.
  expect(world.wokenUp().filter((id) => ids.includes(id))).toEqual(ids.slice(0, 1));
});

test('shows an export that is queued, by its id and in the list, and filters by list', async () => {
  const { body } = await startList('subscriptions', 'a');
  const queued = Object(body['export']);

  const shown = await client.call('showExport', {
    connection: 'rotated',
    exportId: queued.exportId,
  });
  const all = await client.call('listExports', { connection: 'rotated' });
  const some = await client.call('listExports', { connection: 'rotated', list: 'subscriptions' });
  const running = await client.call('listExports', { connection: 'rotated', list: 'invoices' });

  expect(shown.body).toEqual(queued);
  const lists = (answer: typeof all, member: string) =>
    Object(answer.body[member]).map(({ list }: { list: string }) => list);
  expect(lists(all, 'queued')).toEqual(['customers', 'subscriptions']);
  expect(lists(all, 'exports')).toEqual(['invoices']);
  expect(lists(some, 'queued')).toEqual(['subscriptions']);
  expect(lists(some, 'exports')).toEqual([]);
  expect(lists(running, 'queued')).toEqual([]);
  expect(lists(running, 'exports')).toEqual(['invoices']);
});

test.each([
  ['alpha', { list: 'orders' }, 'customers, invoices, subscriptions'],
  ['beta', { list: 'subscriptions' }, 'customers, invoices'],
  ['bare', {}, 'has none.'],
])('starts nothing for a list that %s has not: %j', async (connection, asked, known) => {
  const woken = world.wokenUp().length;
  const answer = await client.call('startExport', { connection }, { body: JSON.stringify(asked) });

  expect(answer).toMatchObject({ status: 404, body: { code: 'unknown-list', field: 'list' } });
  expect(answer.body['detail']).toContain(known);
  expect(answer.text).not.toContain('orders');
  expect(world.wokenUp()).toHaveLength(woken);
});

test('hands a live page on with every digit', async () => {
  const { text, headers } = await client.call('listCustomers', {
    connection: 'alpha',
    page: 2,
    per_page: 3,
  });

  const records = world.simulator.customersOf(CANARIES.alpha).slice(3, 6);
  expect(text.startsWith(`{"customers":[${records.join(',')}],"meta":{`)).toBe(true);
  expect(text.endsWith(',"page":2}')).toBe(true);
  expect(headers['cache-control']).toBe('no-store');
});

test('asks for the first page with the settings of the connection when nothing else is asked for', async () => {
  const { body } = await client.call('listCustomers', { connection: 'alpha' });

  expect(body['page']).toBe(1);
  expect(body['customers']).toHaveLength(5);
});

test('hands on a live page of any list, asked for as its settings say', async () => {
  const paid = world.simulator.recordsOf(CANARIES.alpha, 'invoices', { status: 'paid' });
  const of = { connection: 'alpha', list: 'invoices' };

  const first = await client.call('listRecords', of);
  const other = await client.call('listRecords', { ...of, page: 2, per_page: 1 });
  const customers = await client.call('listRecords', { connection: 'alpha', list: 'customers' });

  expect(first.text.startsWith(`{"records":[${paid.slice(0, 2).join(',')}],"meta":{`)).toBe(true);
  expect(other.text.startsWith(`{"records":[${paid[1]}],"meta":{`)).toBe(true);
  expect(other.text.endsWith(',"page":2}')).toBe(true);
  const known = world.simulator.customersOf(CANARIES.alpha).slice(0, 5);
  expect(customers.text.startsWith(`{"records":[${known.join(',')}],"meta":{`)).toBe(true);
  await client.call('listRecords', { connection: 'alpha', list: 'subscriptions' });
  const [asked] = world.simulator.log.entries.slice(-1);
  expect(asked).toMatchObject({ resource: 'subscriptions', page: 0 });
});

test.each([
  ['listRecords', { connection: 'beta', list: 'subscriptions' }, 'has customers, invoices.'],
  ['listRecords', { connection: 'alpha', list: 'constructor' }, 'has customers, invoices, subs'],
  ['listRecords', { connection: 'bare', list: 'customers' }, 'has none.'],
  ['listCustomers', { connection: 'bare' }, 'has none.'],
])(
  '%s answers 404 without a request for a list that the connection of %j has not',
  async (operationId, values, detail) => {
    const sent = world.simulator.log.entries.length;

    const answer = await client.call(operationId, values);

    expect(answer).toMatchObject({ status: 404, body: { code: 'unknown-list', field: 'list' } });
    expect(answer.body['detail']).toContain(detail);
    expect(world.simulator.log.entries).toHaveLength(sent);
  },
);

test('a throttle makes everyone of the connection wait, without a request, and nobody else', async () => {
  faultFor('waiting', { kind: 'status', status: 429, headers: { 'Retry-After': '40' } });

  const first = await client.call('listCustomers', { connection: 'waiting' });
  const sent = requestsOf('waiting');
  const second = await client.call('listRecords', { connection: 'waiting', list: 'invoices' });
  const exportId = await started('waiting', 'w');
  const shown = await client.call('showExport', { connection: 'waiting', exportId });
  const other = await client.call('listCustomers', { connection: 'beta' });

  expect(first).toMatchObject({ status: 429, headers: { 'retry-after': '40' } });
  expect(first.body).toMatchObject({ code: 'throttled', upstream: { status: 429 } });
  expect(second.status).toBe(429);
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(30);
  expect(requestsOf('waiting')).toBe(sent);
  expect(sent).toBe(1);
  expect((await world.gates.read('waiting')).blockedUntilMs).toBeGreaterThan(Date.now() + 30 * SEC);
  expect(Date.parse(String(shown.body['notBefore']))).toBeGreaterThan(Date.now() + 30 * SEC);
  expect(other.status).toBe(200);
});

test('a wait that an export met holds for live reads: its rest is told, and no request is sent', async () => {
  world.simulator.setFaults([]);
  const sent = requestsOf('blocked');
  await world.gates.blockUntil('blocked', Date.now() + 500 * SEC);

  const { status, headers, body } = await client.call('listCustomers', { connection: 'blocked' });

  expect(status).toBe(429);
  // Up to 2 s more: the gate keeps the wait by the ledger's clock, of which a process knows only bounds.
  expect(Number(headers['retry-after'])).toBeLessThanOrEqual(502);
  expect(Number(headers['retry-after'])).toBeGreaterThan(490);
  expect(body['retryAfterSeconds']).toBe(Number(headers['retry-after']));
  expect(requestsOf('blocked')).toBe(sent);
});

test('a live read for which others have left no place is answered with when there is one, and is not sent', async () => {
  const connection = 'busy';
  const sent = requestsOf(connection);
  world.setSecret(connection, JSON.stringify({ apiKey: CANARIES.busy, requestsPerSecond: 0.02 }));

  expect((await client.call('listCustomers', { connection })).status).toBe(200);
  const { status, headers, body } = await client.call('listCustomers', { connection });

  expect(status).toBe(429);
  expect(body).toMatchObject({
    code: 'throttled',
    retryAfterSeconds: Number(headers['retry-after']),
  });
  expect(body['detail']).toMatch(/^Other callers of this connection use up the limit/);
  expect(Number(headers['retry-after'])).toBeGreaterThan(40);
  expect(requestsOf(connection)).toBe(sent + 1);
});

test('a rejected key is sent once, halts its connection for reads and starts, and a new one opens it', async () => {
  world.simulator.setKeyStatus(CANARIES.stale, 'revoked');

  const first = await client.call('listCustomers', { connection: 'stale' });
  const sent = requestsOf('stale');
  const second = await client.call('listRecords', { connection: 'stale', list: 'invoices' });
  const start = await client.call('startExport', { connection: 'stale' });

  for (const { status, body } of [first, second, start]) {
    expect(status).toBe(409);
    expect(body).toMatchObject({ code: 'halted', reason: 'authentication-failure' });
    expect(body['detail']).toContain('Store a valid key as a new version of the secret');
  }
  expect(sent).toBe(1);
  expect(requestsOf('stale')).toBe(1);
  expect((await world.gates.read('stale')).haltedKeyVersions).toEqual(['v1']);
  expect((await client.call('listCustomers', { connection: 'beta' })).status).toBe(200);

  world.simulator.setKeyStatus(CANARIES.stale, 'active');
  world.setSecret('stale', CANARIES.stale);
  expect((await client.call('listCustomers', { connection: 'stale' })).status).toBe(200);
});

test('a new key that cannot be compared reads nothing yet, and the next read compares it', async () => {
  const connection = 'rotated';
  expect((await client.call('listCustomers', { connection, per_page: 30 })).status).toBe(200);
  // Otherwise the former version would be used for up to a minute more.
  await world.gates.haltKeyVersion(connection, { keyVersion: 'v1' });
  world.setSecret(connection, CANARIES.rotated);
  const before = requestsOf(connection);

  faultFor(connection, { kind: 'status', status: 500 });
  const unproven = await client.call('listCustomers', { connection });
  const alike = await client.call('listRecords', { connection, list: 'invoices' });
  world.simulator.setFaults([]);

  expect(unproven).toMatchObject({ status: 503, body: { code: 'organization-unproven' } });
  expect(unproven.body['detail']).toContain('the request that shows its organization');
  expect(alike).toMatchObject({ status: 503, body: { code: 'organization-unproven' } });
  expect(requestsOf(connection) - before).toBe(2);
  expect(await client.call('listCustomers', { connection, page: 2 })).toMatchObject({
    status: 200,
    body: { page: 2 },
  });
  expect(requestsOf(connection) - before).toBe(4);
});

test('a start joins no halted export but says why it is halted now, and resumes it with a new key', async () => {
  const exportId = await started('keyless', 'k');
  const state = await world.ledger.readExport('keyless', exportId);
  if (state === undefined) throw new Error('no export');
  const reason = { code: 'authentication-failure', message: 'Version v1 was rejected.' } as const;
  const halted = { ...state, writeToken: 'halted', status: 'halted', reason } as const;
  await world.ledger.writeExport(halted, state.writeToken);

  const read = await client.call('listCustomers', { connection: 'keyless' });
  const start = await client.call('startExport', { connection: 'keyless' });
  world.setSecret('keyless', CANARIES.beta);
  const resumed = await client.call('startExport', { connection: 'keyless' });

  expect(read).toMatchObject({ status: 409, body: { code: 'halted', reason: 'key-missing' } });
  expect(start).toMatchObject({
    status: 409,
    body: { code: 'halted', reason: 'key-missing', exportId },
  });
  expect(resumed).toMatchObject({ status: 202, body: { result: 'resumed', export: { exportId } } });
});

test('a secret that holds no key is told without a character of it', async () => {
  world.setSecret('faulty', 'cAnArY with blanks');
  const { status, body, text } = await client.call('listCustomers', { connection: 'faulty' });
  world.setSecret('faulty', CANARIES.faulty);

  expect(status).toBe(409);
  expect(body['reason']).toBe('key-malformed');
  expect(text).not.toContain('blanks');
});

const SECRET_BODY = { error: 'x', note: 'body-of-the-upstream' };
test.each<[string, Fault['fault'] | undefined, string, number]>([
  ['upstream-server-error', { kind: 'status', status: 503, body: SECRET_BODY }, 'faulty', 502],
  ['upstream-client-error', { kind: 'status', status: 418, body: SECRET_BODY }, 'faulty', 502],
  ['upstream-redirect', { kind: 'redirect', location: 'https://evil.example/' }, 'faulty', 502],
  ['upstream-error-body', { kind: 'status', status: 200, body: SECRET_BODY }, 'faulty', 502],
  ['upstream-not-json', { kind: 'html' }, 'faulty', 502],
  ['upstream-items-missing', { kind: 'json-empty-object' }, 'faulty', 502],
  [
    'upstream-items-ambiguous',
    { kind: 'status', status: 200, body: { a: [{ id: 1 }], b: [{ id: 2 }] } },
    'faulty',
    502,
  ],
  ['upstream-cut', { kind: 'cut-close-delimited' }, 'faulty', 502],
  ['upstream-key-echo', { kind: 'echo-key', where: 'body' }, 'faulty', 502],
  ['upstream-network', { kind: 'reset-mid-body' }, 'faulty', 502],
  ['upstream-timeout', { kind: 'silence' }, 'slow', 504],
  ['upstream-too-large', undefined, 'small', 502],
  ['upstream-unreachable', undefined, 'elsewhere', 502],
  ['upstream-certificate', undefined, 'untrusted', 502],
])('answers %s for %j', async (code, fault, connection, status) => {
  world.simulator.setFaults(
    fault === undefined ? [] : [{ when: { organization: connection }, fault }],
  );
  const ofList = { connection, list: 'customers' };
  for (const asked of [
    () => client.call('listCustomers', { connection }),
    () => client.call('listRecords', ofList),
  ]) {
    const answer = await asked();
    expect([answer.status, answer.body['code']]).toEqual([status, code]);
    expect(answer.text).not.toMatch(/body-of-the-upstream|evil\.example|cAnArY/);
  }
  world.simulator.setFaults([]);
});

test('ends a request to the API before the function itself is ended', async () => {
  faultFor('alpha', { kind: 'silence' });
  const answer = await client.call(
    'listCustomers',
    { connection: 'alpha' },
    { remainingMs: 2_000 },
  );
  world.simulator.setFaults([]);

  expect([answer.status, answer.body['code']]).toEqual([504, 'upstream-timeout']);
});

test('says what to ask for when a page is larger than a function may answer', async () => {
  const customers = Array.from({ length: 4 }, (_, id) => ({ id, text: '"'.repeat(900_000) }));
  faultFor('faulty', { kind: 'status', status: 200, body: { customers } });
  const { status, body } = await client.call('listCustomers', { connection: 'faulty' });
  world.simulator.setFaults([]);

  expect([status, body['code'], body['field']]).toEqual([502, 'page-too-large', 'per_page']);
});

const known = { connection: 'alpha' };
test.each<[string, Readonly<Record<string, string | number>>, string, { body: string }?]>([
  ['listExports', { connection: 'Alpha' }, 'connection'],
  ['listExports', { connection: '..' }, 'connection'],
  ['listExports', { connection: 'a'.repeat(64) }, 'connection'],
  ['listExports', { ...known, limit: 0 }, 'limit'],
  ['listExports', { ...known, limit: 101 }, 'limit'],
  ['listExports', { ...known, limit: '1e1' }, 'limit'],
  ['listExports', { ...known, limit: '' }, 'limit'],
  ['listExports', { ...known, after: 'bm90IGEgY3Vyc29y' }, 'after'],
  ['listExports', { ...known, after: 'x'.repeat(401) }, 'after'],
  ['listExports', { ...known, order: 'up' }, 'order'],
  ['listExports', { ...known, '<script>': 1 }, 'query'],
  ['showExport', { ...known, exportId: 'UPPER' }, 'exportId'],
  ['showExport', { ...known, exportId: 'x', limit: 1 }, 'limit'],
  ['listCustomers', { ...known, page: -1 }, 'page'],
  ['listCustomers', { ...known, page: '9007199254740993' }, 'page'],
  ['listCustomers', { ...known, page: '01' }, 'page'],
  ['listCustomers', { ...known, per_page: 10_001 }, 'per_page'],
  ['listCustomers', { ...known, per_page: 0.5 }, 'per_page'],
  ['listRecords', { ...known, list: 'UPPER' }, 'list'],
  ['listRecords', { ...known, list: 'invoices', page: -1 }, 'page'],
  ['listRecords', { ...known, list: 'invoices', status: 'open' }, 'status'],
  ['listCustomers', known, 'body', { body: '{"per_page":1}' }],
  ['startExport', { ...known, 'Idempotency-Key': 'a b' }, 'Idempotency-Key'],
  ['startExport', { ...known, 'Idempotency-Key': '' }, 'Idempotency-Key'],
  ['startExport', { ...known, 'Idempotency-Key': 'a'.repeat(256) }, 'Idempotency-Key'],
  ['startExport', { ...known, force: 1 }, 'force'],
  ['startExport', known, 'connection', { body: '{"connection":"beta"}' }],
  ['startExport', known, 'list', { body: '{"list":"Invoices"}' }],
  ['startExport', known, 'list', { body: '{"list":null}' }],
  ['listExports', { ...known, list: '../x' }, 'list'],
  ['startExport', known, 'body', { body: 'null' }],
  ['startExport', known, 'body', { body: '[]' }],
])('%s refuses %j naming %s', async (operationId, values, field, ...[more]) => {
  const sent = world.simulator.log.entries.length;
  const answer = await client.call(operationId, values, more);

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', field } });
  expect(answer.text).not.toContain('<script>');
  expect(world.simulator.log.entries).toHaveLength(sent);
});

test.each(['constructor', '__proto__', 'prototype', 'toString', 'hasOwnProperty'])(
  'the name %s is as unknown as any other query parameter or member',
  async (name) => {
    const of = '/connections/alpha';
    const write = `{"operation":"create-customer","${name}":1}`;
    const requests = [
      { path: `${of}/exports?${name}=` },
      { path: `${of}/exports?${name}=1`, method: 'POST' },
      { path: `${of}/exports/x?${name}=1` },
      { path: `${of}/customers?page=1&${name}=1` },
      { path: `${of}/lists/invoices?${name}=1` },
      { path: `${of}/writes?${name}=1`, method: 'POST', body: '{"operation":"create-customer"}' },
      { path: `${of}/writes`, method: 'POST', body: write },
      { path: `${of}/writes?${name}=1` },
      { path: `${of}/writes/x?${name}=1` },
      {
        path: `${of}/writes/x/settlement`,
        method: 'POST',
        body: `{"attempt":1,"decision":"done","${name}":1}`,
      },
    ];
    const sent = world.simulator.log.entries.length;
    for (const request of requests) {
      const { status, body } = await world.ask(request);
      expect([request, status, body]).toEqual([
        request,
        400,
        expect.objectContaining({ code: 'invalid-request', field: name }),
      ]);
    }
    expect(world.simulator.log.entries).toHaveLength(sent);
  },
);

test.each(['startExport', 'listExports', 'showExport', 'listCustomers', 'listRecords'])(
  '%s answers 404 for a connection that the stack does not have',
  async (operationId) => {
    for (const connection of ['nobody', 'constructor']) {
      const answer = await client.call(operationId, { connection, exportId: 'x', list: 'x' });
      expect(answer).toMatchObject({ status: 404, body: { code: 'unknown-connection' } });
    }
  },
);

test('answers 404 for an export that the connection does not have, also when another one has it', async () => {
  const exportId = await started('beta', 'of-beta');
  const answer = await client.call('showExport', { connection: 'alpha', exportId });

  expect(answer).toMatchObject({ status: 404, body: { code: 'unknown-export' } });
});

test('answers 405 with the methods that a path has, and 404 for a path that there is not', async () => {
  // Those of files and of changes are served by functions of their own.
  const isOwn = ({ tags }: { readonly tags: readonly string[] }) =>
    !tags.includes('files') && !tags.includes('changes');
  for (const { operationId, path } of operations.filter(isOwn)) {
    const answer = await client.call(
      operationId,
      { connection: 'alpha', exportId: 'x', writeId: 'x' },
      { method: 'DELETE' },
    );
    const methods = operations.filter((one) => one.path === path).map(({ method }) => method);
    expect(answer).toMatchObject({
      status: 405,
      headers: { allow: methods.sort().join(', ') },
      body: { code: 'method-not-allowed', field: 'method' },
    });
  }
  for (const path of [
    '/',
    '/connections',
    '/connections/alpha',
    '/connections/alpha/exports/x/y',
  ]) {
    expect(await world.ask({ path })).toMatchObject({
      status: 404,
      headers: { 'content-type': 'application/problem+json' },
      body: { code: 'unknown-route', field: 'path' },
    });
  }
});

test('an error of AWS is a 500 that tells nothing, and a line in the log that tells enough', async () => {
  const requestId = '11111111-2222-4333-8444-555555555555';
  world.breakSecrets(true);
  world.setSecret('elsewhere', undefined);
  const state = { ...(await world.gates.read('untrusted')) };
  expect(state.haltedKeyVersions).toEqual([]);
  // A version that was rejected makes the function read the secret afresh.
  await world.gates.haltKeyVersion('untrusted', { keyVersion: 'v1' });
  const answers = [
    await client.call('listCustomers', { connection: 'untrusted' }, { requestId }),
    await client.call('startExport', { connection: 'untrusted' }, { requestId }),
  ];
  world.breakSecrets(false);

  for (const { status, body, text } of answers) {
    expect(status).toBe(500);
    expect(body).toMatchObject({ code: 'internal', instance: `urn:uuid:${requestId}` });
    expect(text).not.toMatch(/AccessDenied|canary|at .*\.ts|SecretsManager/);
  }
  const lines = world.logged.filter((line) => line.includes(requestId));
  expect(lines.join('')).toContain('SecretsManager GetSecretValue failed: AccessDeniedException');
  expect(lines.join('')).not.toContain('canary of an AWS message');
  const counted = lines.filter((line) => line.includes('"RequestsFailed":1'));
  expect(counted).toHaveLength(answers.length);
});

test('an export that cannot be read is named by its own route and left out of the list alone', async () => {
  const readableId = await started('small', 'beside-broken');
  await world.putBrokenExport('small', 'broken');
  const lines = world.logged.length;
  const own = await client.call('showExport', { connection: 'small', exportId: 'broken' });
  const list = await client.call('listExports', { connection: 'small' });

  expect([own.status, own.body['code']]).toEqual([500, 'unreadable-item']);
  expect(own.body['detail']).toMatch(/^The ledger item export#broken of connection small cannot/);
  expect(list.status).toBe(200);
  expect(Object(list.body).exports.map(Object).map(idOf)).toContain(readableId);
  expect(list.body['unreadable']).toEqual(['export#broken']);
  expect(world.logged.slice(lines).join('')).toMatch(
    /export#broken of connection small cannot be read: .*, plan, /,
  );
});

test('a gate that cannot be read is named by every route that must respect it', async () => {
  await world.putBrokenGate('slow');
  const slow = { connection: 'slow' };
  for (const answer of [
    client.call('listExports', slow),
    client.call('listCustomers', slow),
    client.call('listRecords', { ...slow, list: 'invoices' }),
  ]) {
    const { status, body, text } = await answer;
    expect([status, body['code']]).toEqual([500, 'unreadable-item']);
    expect(text).toContain('The ledger item gate of connection slow cannot be read');
    expect(text).not.toContain('canary');
  }
});

test('an active export that cannot be read hides none of the history, and a start names it', async () => {
  await world.putBrokenActive('elsewhere');
  const list = await client.call('listExports', { connection: 'elsewhere' });
  const start = await client.call('startExport', { connection: 'elsewhere' });

  expect([list.status, list.body['unreadable']]).toEqual([200, ['active-export']]);
  expect([start.status, start.body['code']]).toEqual([500, 'unreadable-item']);
  expect(start.body['detail']).toContain('active-export of connection elsewhere');
});

test('gives every answer that the document has, and no other', () => {
  // The others are given in the tests of writes, gates, files and changes, and of cancelling an export.
  const documented = documentedAnswers(
    ({ operationId, tags }) =>
      operationId !== 'cancelExport' && (tags.includes('exports') || tags.includes('customers')),
  );
  const given = [...client.seen]
    .map((answer) => answer.split(' ').slice(0, 2).join(' '))
    .filter((answer) => !/write|gate|files|changes|cancel/i.test(answer));

  expect([...new Set(given)].sort()).toEqual(documented);
});

test('no key is in any line of the log', () => {
  expect(world.logged.length).toBeGreaterThan(10);
  expect(world.logged.join('')).not.toMatch(/cAnArY/);
  for (const line of world.logged) expect(JSON.parse(line)).toHaveProperty('level');
});
