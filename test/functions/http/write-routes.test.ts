import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { WriteState } from '../../../lib/writes/write-state.ts';
import { type ApiWorld, CANARIES, startApiWorld } from './api-world.ts';
import { createOpenApiClient, documentedAnswers } from './openapi-client.ts';

const KEY = 'Idempotency-Key';
const connection = 'alpha';

let world: ApiWorld;
let client: ReturnType<typeof createOpenApiClient>;
beforeAll(async () => {
  world = await startApiWorld();
  client = createOpenApiClient(world.ask);
});
afterAll(() => world.close());

const asks = (write: object) => ({ body: JSON.stringify(write) });
const create = { operation: 'create', body: { name: 'Ada' } };

/** Changes a write as a worker would. */
async function change(writeId: string, to: Partial<WriteState>): Promise<void> {
  const state = await world.writes.readWrite(connection, writeId);
  if (state === undefined) throw new Error('no write');
  const next = { ...state, ...to, writeToken: `${state.writeToken}-next` };
  expect(await world.writes.writeWrite(next, state.writeToken)).toEqual({ kind: 'written' });
}

async function makeUnclear(writeId: string): Promise<void> {
  await client.call('requestWrite', { connection, [KEY]: writeId }, asks(create));
  const reason = { code: 'no-clear-answer', message: 'No answer came.' } as const;
  await change(writeId, { status: 'unclear', attempt: 1, reason, wakeUpSent: true, closed: true });
}

test('accepts a write, says where it is, and sends its message', async () => {
  const answer = await client.call('requestWrite', { connection, [KEY]: 'order-1' }, asks(create));

  expect(answer).toMatchObject({
    status: 202,
    headers: { location: 'writes/order-1' },
    body: { result: 'accepted', write: { writeId: 'order-1', status: 'intended', attempt: 0 } },
  });
  expect(world.wokenWrites()).toContain('order-1');
  expect(world.simulator.log.entries).toEqual([]);
});

test('the id may be in the body too, and the same id is the same write', async () => {
  const write = { ...create, writeId: 'order-2' };
  const first = await client.call('requestWrite', { connection }, asks(write));
  const again = await client.call('requestWrite', { connection, [KEY]: 'order-2' }, asks(write));
  await change('order-2', { status: 'done', attempt: 1, settledBy: 'answer', closed: true });
  const over = await client.call('requestWrite', { connection }, asks(write));
  const other = await client.call(
    'requestWrite',
    { connection },
    asks({ ...write, body: { name: 'Eve' } }),
  );

  expect(first).toMatchObject({ status: 202, body: { result: 'accepted' } });
  expect(again).toMatchObject({ status: 202, body: { result: 'joined' } });
  expect(over).toMatchObject({
    status: 200,
    body: { result: 'joined', write: { status: 'done' } },
  });
  expect(other).toMatchObject({ status: 409, body: { code: 'write-conflict', field: 'writeId' } });
  expect((await world.writes.readWrite(connection, 'order-2'))?.bodyText).toBe('{"name":"Ada"}');
});

const WRONG_WRITES: readonly [object | string, string, Record<string, string>?][] = [
  ['', 'body'],
  ['[]', 'body'],
  ['{"operation":', 'body'],
  [{ ...create, connection: 'beta' }, 'connection', { [KEY]: 'w' }],
  [{ ...create, v: 1 }, 'v', { [KEY]: 'w' }],
  [{ ...create, '<script>': 1 }, 'body', { [KEY]: 'w' }],
  [create, 'writeId'],
  [create, KEY, { [KEY]: 'a b' }],
  [create, KEY, { [KEY]: '' }],
  [create, KEY, { [KEY]: 'a'.repeat(129) }],
  [create, KEY, { [KEY]: '.' }],
  [{ ...create, writeId: '..' }, 'writeId'],
  [{ ...create, writeId: 'a/b' }, 'writeId'],
  [{ ...create, writeId: 'one' }, 'writeId', { [KEY]: 'two' }],
  [{ body: {} }, 'operation', { [KEY]: 'w' }],
  [{ operation: 'destroy' }, 'operation', { [KEY]: 'w' }],
  [{ operation: 'rename', body: {} }, 'params.id', { [KEY]: 'w' }],
  [{ operation: 'rename', params: { id: ['1'] } }, 'params.id', { [KEY]: 'w' }],
  [{ ...create, orderKey: 'a b' }, 'orderKey', { [KEY]: 'w' }],
  [{ ...create, body: { text: 'x'.repeat(256 * 1024) } }, 'body', { [KEY]: 'w' }],
];

test.each(WRONG_WRITES.map(([write, field, headers = {}]) => ({ write, field, headers })))(
  'refuses a write that is wrong in $field',
  async ({ write, field, headers }) => {
    const body = typeof write === 'string' ? write : JSON.stringify(write);
    const answer = await client.call('requestWrite', { connection, ...headers }, { body });

    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', field } });
    expect(answer.text).not.toContain('<script>');
  },
);

test.each(['..a', '.a', 'a.', 'a:b'])(
  'says where the write %s is by a path that clients leave as it is',
  async (writeId) => {
    const body = JSON.stringify({ ...create, writeId });
    const answer = await client.call('requestWrite', { connection }, { body });
    const location = answer.headers['location'] ?? '';

    // Where a custom domain maps a path to the API.
    const asked = `https://api.example.com/mapped/connections/${connection}/writes`;
    expect(new URL(location, asked).href).toBe(`${asked}/${writeId}`);
  },
);

const HELD = CANARIES.alpha;
const WITH_KEY: readonly (readonly [what: string, field: string, write: object])[] = [
  ['its body', 'body', { ...create, body: { note: `my key is ${HELD}` } }],
  ['the name of a member of its body', 'body', { ...create, body: { [HELD]: 1 } }],
  ['a param', 'params', { operation: 'rename', params: { id: HELD }, body: {} }],
  ['the name of a param', 'params', { operation: 'create', params: { [HELD]: '1' } }],
  ['its operation', 'operation', { operation: HELD }],
  ['base64 in its body', 'body', { ...create, body: [Buffer.from(HELD).toString('base64')] }],
];

test.each(WITH_KEY)('stores nothing of a write with the key in %s', async (what, field, write) => {
  const writeId = `shown-${what.replaceAll(' ', '-')}`;
  const lines = world.logged.length;
  const answer = await client.call('requestWrite', { connection, [KEY]: writeId }, asks(write));

  expect(answer).toMatchObject({ status: 400, body: { code: 'key-in-request', field } });
  expect(await world.writes.readWrite(connection, writeId)).toBeUndefined();
  expect(world.wokenWrites()).not.toContain(writeId);
  expect(answer.text + world.logged.slice(lines).join('')).not.toContain('cAnArY');
});

test.each(['writeId', 'orderKey'])(
  'stores nothing of a write whose %s is the key',
  async (field) => {
    const held = CANARIES.beta;
    const asked = asks({ writeId: 'of-beta', ...create, [field]: held });
    const answer = await client.call('requestWrite', { connection: 'beta' }, asked);

    expect(answer).toMatchObject({ status: 400, body: { code: 'key-in-request', field } });
    expect(answer.text).not.toContain(held);
    expect(await world.writes.readWrite('beta', 'of-beta')).toBeUndefined();
    expect(await world.writes.readWrite('beta', held)).toBeUndefined();
  },
);

test('stores nothing of a write with the key of another connection that was read', async () => {
  await client.call('requestWrite', { connection, [KEY]: 'reads-alpha' }, asks(create));
  const asked = asks({ ...create, body: { note: CANARIES.alpha } });
  const answer = await client.call('requestWrite', { connection: 'slow', [KEY]: 'w' }, asked);

  expect(answer).toMatchObject({ status: 400, body: { code: 'key-in-request', field: 'body' } });
  expect(await world.writes.readWrite('slow', 'w')).toBeUndefined();
});

test('keeps a write as the text that came', async () => {
  const text = '{"z":1.0, "1":12345678901234567890,"z":1e-400 , "__proto__":"\\u00e9\\ud800"}';
  const body = `{"operation":"rename","params":{"id":9007199254740993},"body":${text}}`;
  const answer = await client.call('requestWrite', { connection, [KEY]: 'digits' }, { body });

  expect(answer.status).toBe(202);
  expect(await world.writes.readWrite(connection, 'digits')).toMatchObject({
    resource: 'customers/9007199254740993',
    bodyText: text.replaceAll(' ', ''),
  });
});

const NOT_EXACT: readonly (readonly [what: string, body: string | Buffer, field: string])[] = [
  ['a param twice', '{"operation":"rename","params":{"id":"1","id":"2"}}', 'params.id'],
  ['an object as a param', '{"operation":"rename","params":{"id":{"a":1}}}', 'params.id'],
  [
    'half of a character as a param',
    '{"operation":"rename","params":{"id":"\\ud800"}}',
    'params.id',
  ],
  ['an unknown param', '{"operation":"create","params":{"constructor":"x"}}', 'params.constructor'],
  ['a member twice', '{"operation":"create","body":1,"body":2}', 'body'],
  ['the member constructor', '{"operation":"create","constructor":1}', 'constructor'],
  ['the member __proto__', '{"operation":"create","__proto__":{"body":1}}', '__proto__'],
  ['a deep body', `{"operation":"create","body":${'['.repeat(101)}${']'.repeat(101)}}`, 'body'],
  ['a byte order mark', '\ufeff{"operation":"create"}', 'body'],
  ['half of a character', '{"operation":"create","body":"\ud800"}', 'body'],
  ['what stands for other bytes', '{"operation":"create","body":"Ren\ufffd"}', 'body'],
  ['Latin-1', Buffer.from('{"operation":"create","body":"René"}', 'latin1'), 'body'],
  ['a cut character', Buffer.from('{"operation":"create","body":"é"}').subarray(0, -3), 'body'],
];

test.each(NOT_EXACT)('refuses %s, naming the place', async (what, body, field) => {
  const writeId = what.replaceAll(/\W/g, '-');
  const answer = await client.call('requestWrite', { connection, [KEY]: writeId }, { body });

  expect(answer).toMatchObject({ status: 400, body: { code: 'invalid-request', field } });
  expect(await world.writes.readWrite(connection, writeId)).toBeUndefined();
});

test('takes UTF-8 that comes as bytes', async () => {
  const body = Buffer.from('{"operation":"create","body":"René \ufffd \u{1f600}"}');
  await client.call('requestWrite', { connection, [KEY]: 'bytes' }, { body });

  expect((await world.writes.readWrite(connection, 'bytes'))?.bodyText).toBe(
    '"René \ufffd \u{1f600}"',
  );
});

test('says when to ask again while too many writes wait for their turn', async () => {
  const writeIds = Array.from({ length: 1_000 }, (_, index) => `w${index}`);
  const line = { v: 1, connection, orderKey: 'full', writeToken: 't', writeIds } as const;
  await world.writes.writeLine(line, undefined);

  const answer = await client.call(
    'requestWrite',
    { connection, [KEY]: 'late' },
    asks({ ...create, orderKey: 'full' }),
  );

  expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '30' } });
});

test('shows a write to its own connection alone', async () => {
  await client.call('requestWrite', { connection, [KEY]: 'a:b.c' }, asks(create));

  expect(await client.call('showWrite', { connection, writeId: 'a:b.c' })).toMatchObject({
    status: 200,
    body: { writeId: 'a:b.c', operation: 'create', notBefore: null },
  });
  for (const elsewhere of ['beta', 'nobody']) {
    expect(
      await client.call('showWrite', { connection: elsewhere, writeId: 'a:b.c' }),
    ).toMatchObject({ status: 404 });
  }
  expect(await client.call('showWrite', { connection, writeId: 'a b' })).toMatchObject({
    status: 400,
    body: { field: 'writeId' },
  });
});

test('lists what waits for a person, of this connection alone', async () => {
  await makeUnclear('u-1');
  await makeUnclear('u-2');

  const { body } = await client.call('listUnclearWrites', { connection, status: 'unclear' });
  const other = await client.call('listUnclearWrites', { connection: 'beta' });

  expect(body).toMatchObject({ writes: [{ writeId: 'u-1' }, { writeId: 'u-2' }], hasMore: false });
  expect(other.body).toEqual({ writes: [], unreadable: [], hasMore: false });
  expect(await client.call('listUnclearWrites', { connection, status: 'done' })).toMatchObject({
    status: 400,
    body: { field: 'status' },
  });
  expect((await client.call('listUnclearWrites', { connection: 'nobody' })).status).toBe(404);
});

test('writes down who settled what, once, and about which attempt', async () => {
  await makeUnclear('u-3');
  const settle = (decision: object, more = {}) =>
    client.call('settleWrite', { connection, writeId: 'u-3' }, { ...asks(decision), ...more });

  const nobody = await settle({ attempt: 1, decision: 'done' }, { authorizer: { jwt: {} } });
  const early = await settle({ attempt: 0, decision: 'done' });
  const settled = await settle(
    { attempt: 1, decision: 'done', note: 'Seen.' },
    { authorizer: { jwt: { claims: { sub: 'ada@example.com' } } } },
  );
  const again = await settle({ attempt: 1, decision: 'retry' });

  expect(nobody).toMatchObject({ status: 403, body: { code: 'unknown-caller' } });
  expect(early).toMatchObject({ status: 409, body: { code: 'not-unclear' } });
  expect(settled.body).toMatchObject({
    status: 'done',
    settledBy: 'person',
    settlements: [{ by: 'subject ada@example.com', decision: 'done', note: 'Seen.' }],
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'not-unclear' } });
});

test.each([
  { field: 'attempt', decision: { decision: 'done' } },
  { field: 'attempt', decision: { attempt: '1', decision: 'done' } },
  { field: 'decision', decision: { attempt: 1 } },
  { field: 'decision', decision: { attempt: 1, decision: 'delete' } },
  { field: 'note', decision: { attempt: 1, decision: 'done', note: 'x'.repeat(1025) } },
  { field: 'note', decision: { attempt: 1, decision: 'done', note: '\ud800' } },
  { field: 'by', decision: { attempt: 1, decision: 'done', by: 'somebody else' } },
])('refuses a settlement that is wrong in $field', async ({ field, decision }) => {
  const answer = await client.call('settleWrite', { connection, writeId: 'u-1' }, asks(decision));

  expect(answer).toMatchObject({ status: 400, body: { field } });
});

test.each([
  ['decision', '{"attempt":1,"decision":"done","decision":"retry"}'],
  ['constructor', '{"attempt":1,"decision":"done","constructor":1}'],
  ['__proto__', '{"attempt":1,"decision":"done","__proto__":1}'],
])('refuses a settlement in which %s is too much', async (field, body) => {
  const answer = await client.call('settleWrite', { connection, writeId: 'u-1' }, { body });

  expect(answer).toMatchObject({ status: 400, body: { field } });
});

test('answers 404 for a write and a connection that there are not, and 405 for another method', async () => {
  const decision = asks({ attempt: 1, decision: 'done' });
  const answers = [
    await client.call('settleWrite', { connection, writeId: 'none' }, decision),
    await client.call('requestWrite', { connection: 'nobody', [KEY]: 'w' }, asks(create)),
  ];
  for (const { status } of answers) expect(status).toBe(404);
  for (const id of ['requestWrite', 'listUnclearWrites', 'showWrite', 'settleWrite']) {
    const answer = await client.call(id, { connection, writeId: 'w' }, { method: 'PUT' });
    expect(answer.status).toBe(405);
  }
});

test('an error of AWS is a 500 that tells nothing', async () => {
  world.breakSecrets(true);
  const { status, body } = await client.call('listUnclearWrites', { connection: 'unheard-of' });
  world.breakSecrets(false);

  expect([status, body['code']]).toEqual([500, 'internal']);
});

test('a write that cannot be read is named by its own routes and left out of the list alone', async () => {
  await world.putBrokenWrite('beta', 'broken');
  const beta = { connection: 'beta', writeId: 'broken' };
  const answers = [
    await client.call('showWrite', beta),
    await client.call('requestWrite', { connection: 'beta', [KEY]: 'broken' }, asks(create)),
    await client.call('settleWrite', beta, asks({ attempt: 1, decision: 'done' })),
  ];
  for (const { status, body } of answers) {
    expect([status, body['code']]).toEqual([500, 'unreadable-item']);
    expect(body['detail']).toMatch(/^The ledger item write#broken of connection beta cannot/);
  }
  expect(await client.call('listUnclearWrites', { connection: 'beta' })).toMatchObject({
    status: 200,
    body: { writes: [], unreadable: ['write#broken'] },
  });
});

test('gives every answer that the document has, and no other', () => {
  const given = [...client.seen].map((answer) => answer.split(' ').slice(0, 2).join(' '));

  expect([...new Set(given)].sort()).toEqual(
    documentedAnswers(({ tags }) => tags.includes('writes')),
  );
});

test('no key is in any line of the log', () => {
  expect(world.logged.join('')).toContain('Write settled');
  expect(world.logged.join('')).not.toMatch(/cAnArY/);
});
