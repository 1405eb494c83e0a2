import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ApiWorld, CANARIES, startApiWorld } from './api-world.ts';
import { createOpenApiClient, documentedAnswers } from './openapi-client.ts';

let world: ApiWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startApiWorld();
  client = createOpenApiClient(world.ask);
});
afterAll(() => world.close());

const connection = 'blocked';
const reason = 'The API meant an epoch time.';
const open = (body: object) =>
  client.call('openGate', { connection }, { body: JSON.stringify(body) });

test('ends a wait of decades that the API asked for, and says who did it and why', async () => {
  const sentAs = '253402300799';
  world.simulator.setFaults([
    {
      when: { organization: connection },
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': sentAs } },
    },
  ]);
  expect((await client.call('listCustomers', { connection })).status).toBe(429);
  world.simulator.setFaults([]);
  // Our own gate remembers the wait too, not only the one in the ledger.
  expect((await client.call('listCustomers', { connection })).status).toBe(429);
  expect(world.logged.join('')).toContain('"WaitsTooLong":1');

  const shut = await client.call('showGate', { connection });
  expect(shut.body).toEqual({
    connection,
    blockedUntil: '9999-12-31T23:59:59.999Z',
    waitAsSent: `Retry-After: ${sentAs}`,
    haltedKeyVersions: [],
    latestOpening: null,
  });

  const opened = await open({ reason });
  expect(opened).toMatchObject({
    status: 200,
    body: {
      blockedUntil: null,
      waitAsSent: null,
      latestOpening: {
        by: 'arn:aws:iam::123456789012:user/ada',
        reason,
        until: '9999-12-31T23:59:59.999Z',
        waitAsSent: `Retry-After: ${sentAs}`,
      },
    },
  });
  expect(world.logged.join('')).toMatch(
    /"Gate opened".*"by":"arn:aws:iam::123456789012:user\/ada"/,
  );
  expect((await client.call('showGate', { connection })).body).toEqual(opened.body);
  expect((await client.call('listCustomers', { connection })).status).toBe(200);
});

test('wakes what waits for the gate, and again when the same is asked again', async () => {
  const waiting = 'beta';
  const started = await client.call('startExport', {
    ...{ connection: waiting, 'Idempotency-Key': 'woken' },
  });
  const { exportId } = Object(started.body).export;
  const write = { operation: 'create', body: { name: 'Ada' } };
  const asked = { connection: waiting, 'Idempotency-Key': 'woken-write' };
  await client.call('requestWrite', asked, { body: JSON.stringify(write) });
  const woken = () => [
    world.wokenUp().filter((id) => id === exportId).length,
    world.wokenWrites().filter((id) => id === 'woken-write').length,
  ];
  expect(woken()).toEqual([1, 1]);
  await world.gates.blockUntil(waiting, Date.now() + 600_000);

  for (const count of [2, 3]) {
    const body = JSON.stringify({ reason });
    expect(await client.call('openGate', { connection: waiting }, { body })).toMatchObject({
      ...{ status: 200, body: { blockedUntil: null } },
    });
    expect(woken()).toEqual([count, count]);
  }
});

test('says that the gate is open though the bus takes no event, and that asking again repeats it', async () => {
  await world.gates.blockUntil('slow', Date.now() + 600_000);
  const body = JSON.stringify({ reason });
  const asked = () => client.call('openGate', { connection: 'slow' }, { body });
  world.closeBus(true);
  const half = await asked();
  world.closeBus(false);

  expect(half).toMatchObject({ status: 500, body: { code: 'internal' } });
  expect(half.body['detail']).toMatch(/^The gate is open\. .* Ask with the same reason again/);
  expect((await world.gates.read('slow')).blockedUntilMs).toBe(0);
  expect(world.logged.join('')).toMatch(/"Gate open, not all told".*"RequestsFailed":1/);
  expect(await asked()).toMatchObject({ status: 200, body: { blockedUntil: null } });
});

test('changes nothing of a gate that is open', async () => {
  const before = await client.call('showGate', { connection });
  const opened = () => world.logged.filter((line) => line.includes('Gate opened')).length;
  const count = opened();
  const again = await open({ reason: 'Once more.' });
  expect(again).toMatchObject({ status: 200, body: before.body });
  expect(opened()).toBe(count);
});

test.each([
  {},
  { reason: '' },
  { reason: '  ' },
  { reason: 7 },
  { reason: 'x'.repeat(1_025) },
  { reason: '\ud800' },
])('opens no gate without a reason: %j', async (body) => {
  await world.gates.blockUntil(connection, Date.now() + 600_000);
  expect(await open(body)).toMatchObject({ status: 400, body: { field: 'reason' } });
  expect((await world.gates.read(connection)).blockedUntilMs).toBeGreaterThan(Date.now());
});

test('opens no gate for somebody unknown, and none of another connection', async () => {
  const body = JSON.stringify({ reason });
  const unknown = await client.call(
    'openGate',
    { connection },
    { body, authorizer: { jwt: { claims: {} } } },
  );
  expect(unknown).toMatchObject({ status: 403, body: { code: 'unknown-caller' } });

  await client.call('openGate', { connection: 'alpha' }, { body });
  expect((await world.gates.read(connection)).blockedUntilMs).toBeGreaterThan(Date.now());
});

test('gives every answer that the document has, and no other', async () => {
  const body = JSON.stringify({ reason });
  await client.call('showGate', { connection }, { body });
  await world.putBrokenGate('slow');
  for (const id of ['showGate', 'openGate']) {
    const request = id === 'openGate' ? { body } : {};
    const broken = await client.call(id, { connection: 'slow' }, request);
    expect([broken.status, broken.body['code']]).toEqual([500, 'unreadable-item']);
    const unknown = await client.call(id, { connection: 'nobody' }, request);
    expect(unknown).toMatchObject({ status: 404, body: { code: 'unknown-connection' } });
    await client.call(id, { connection }, { method: 'PUT' });
  }
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));
  const own = given.filter((answer) => /gate/i.test(answer));
  expect([...new Set(own)].sort()).toEqual(documentedAnswers(({ tags }) => tags.includes('gate')));
});

test('no key is in any line of the log', () => {
  expect(world.logged.join('')).toContain('Gate opened');
  expect(world.logged.join('')).not.toMatch(/cAnArY/);
});

const KEY = CANARIES.alpha;
const TELLING = [
  ['openGate', {}, { reason: KEY }, 'reason'],
  [
    'openGate',
    {},
    { reason: `${KEY.slice(0, 9)}\\u00${KEY.charCodeAt(9).toString(16)}${KEY.slice(10)}` },
    'reason',
  ],
  ['openGate', {}, { reason: Buffer.from(`It was ${KEY}.`).toString('base64') }, 'reason'],
  ['cancelExport', { exportId: 'e-1' }, { reason: `It was ${KEY}.` }, 'reason'],
  ['settleWrite', { writeId: 'w-1' }, { attempt: 1, decision: 'drop', note: KEY }, 'note'],
] as const;

test.each(TELLING)('%s keeps nothing in which a person has written the key', async (...row) => {
  const [operation, names, body, field] = row;
  const lines = world.logged.length;
  const parameters = { connection: 'alpha', ...names };
  const answer = await client.call(operation, parameters, { body: JSON.stringify(body) });

  expect(answer).toMatchObject({ status: 400, body: { code: 'key-in-request', field } });
  expect(answer.text + world.logged.slice(lines).join('')).not.toContain('cAnArY');
});
