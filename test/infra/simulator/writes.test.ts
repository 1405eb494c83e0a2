import { afterAll, beforeEach, expect, test } from '@jest/globals';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import { DEMO_KEY } from '../../../infra/simulator/options.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { ask, askJson, write } from './ask.ts';

let simulator: Simulator;

beforeEach(async () => {
  await simulator?.close();
  simulator = await startSimulator({ customers: 3 });
});

afterAll(() => simulator.close());

const customers = () => simulator.customersOf(DEMO_KEY);
const FIRST = '/2.0/customers/9007199254740981';

test('POST adds a customer at the end, with every digit of what was sent', async () => {
  const reply = await ask(
    simulator,
    '/2.0/customers',
    write('POST', '{"vat": 1.10, "n": 9007199254740993}'),
  );

  expect([reply.status, reply.text]).toEqual([
    201,
    '{"id":9007199254740984,"vat":1.10,"n":9007199254740993}',
  ]);
  expect(reply.headers.get('location')).toEqual(['/2.0/customers/9007199254740984']);
  expect(customers()[3]).toBe(reply.text);
});

test('PUT replaces, PATCH merges, DELETE removes', async () => {
  await ask(simulator, FIRST, write('PUT', '{"a":1.0,"b":{"c":[]},"id":5}'));
  const merged = await ask(simulator, FIRST, write('PATCH', '{"b":2e0}'));
  expect(merged.text).toBe('{"id":9007199254740981,"a":1.0,"b":2e0}');
  expect(customers()[0]).toBe(merged.text);

  const removed = await ask(simulator, FIRST, { method: 'DELETE' });
  const again = await ask(simulator, FIRST, { method: 'DELETE' });
  expect([removed.status, removed.text, again.status]).toEqual([204, '', 404]);
  expect(customers()).toHaveLength(2);

  expect(simulator.log.entries.map(({ effect }) => effect?.action)).toEqual([
    'replaced',
    'merged',
    'deleted',
    undefined,
  ]);
});

test('PATCH keeps the members that it does not name', async () => {
  const before = JSON.parse(customers()[0] ?? '');

  const { value } = await askJson(simulator, FIRST, write('PATCH', '{"name":"New"}'));

  expect(value).toEqual({ ...before, name: 'New' });
});

test.each([
  ['POST', '/2.0/customers', '{', 400, 'malformed_json'],
  ['POST', '/2.0/customers', '[]', 400, 'malformed_json'],
  ['PUT', '/2.0/customers/1', '{}', 404, 'not_found'],
  ['PATCH', '/2.0/customers/1', '{}', 404, 'not_found'],
])('refuses %s %s with body %s without an effect', async (method, path, body, status, code) => {
  const reply = await askJson(simulator, path, write(method, body));

  expect([reply.status, reply.value]).toMatchObject([status, { error: { code } }]);
  expect(simulator.log.entries[0]?.effect).toBeUndefined();
  expect(simulator.changesOf(DEMO_KEY)).toEqual([]);
});

test('refuses a body of another type', async () => {
  const headers = { 'Content-Type': 'text/plain' };

  expect(
    (await ask(simulator, '/2.0/customers', { method: 'POST', body: '{}', headers })).status,
  ).toBe(415);
});

test('the same Idempotency-Key and body is answered again without a second effect', async () => {
  const post = write('POST', '{"name":"x"}', { 'Idempotency-Key': 'abc' });

  const first = await ask(simulator, '/2.0/customers', post);
  const second = await ask(simulator, '/2.0/customers', post);

  expect([second.status, second.text]).toEqual([201, first.text]);
  expect(second.headers.get('idempotency-replayed')).toEqual(['true']);
  expect(customers()).toHaveLength(4);
  expect(simulator.log.entries).toMatchObject([
    {
      idempotencyKey: 'abc',
      effect: { id: 1, idempotencyKey: 'abc', recordId: '9007199254740984' },
    },
    { idempotencyKey: 'abc' },
  ]);
  expect(simulator.log.entries[1]?.effect).toBeUndefined();
});

test('the same Idempotency-Key with another body is a conflict', async () => {
  const headers = { 'Idempotency-Key': 'abc' };
  await ask(simulator, '/2.0/customers', write('POST', '{"name":"x"}', headers));

  const reply = await askJson(simulator, '/2.0/customers', write('POST', '{"name":"y"}', headers));

  expect([reply.status, reply.value]).toMatchObject([
    409,
    { error: { code: 'idempotency_conflict' } },
  ]);
  expect(customers()).toHaveLength(4);
});

test('the checker finds a write that was repeated without Idempotency-Key', async () => {
  await ask(simulator, '/2.0/customers', write('POST', '{"reference":"order 7"}'));
  await ask(simulator, '/2.0/customers', write('POST', '{"x":1}', { 'X-Reference': 'order 7' }));

  expect(checkLog(simulator.log.entries).doubleEffects).toEqual([2]);
});

test('lose-answer: the write happens, the connection is reset', async () => {
  simulator.setFaults([{ times: 1, fault: { kind: 'lose-answer' } }]);
  const post = write('POST', '{"name":"x"}', { 'Idempotency-Key': 'abc' });

  const lost = await ask(simulator, '/2.0/customers', post).catch((error) => error.code);
  const again = await ask(simulator, '/2.0/customers', post);

  expect([lost, again.status]).toEqual(['ECONNRESET', 201]);
  expect(customers()).toHaveLength(4);
  expect(simulator.log.entries).toMatchObject([
    { status: 'reset', effect: { id: 1 } },
    { status: 201 },
  ]);
});

test('lose-request: the connection is reset and nothing happens', async () => {
  simulator.setFaults([{ fault: { kind: 'lose-request' } }]);

  const lost = await ask(simulator, '/2.0/customers', write('POST', '{}')).catch(
    (error) => error.code,
  );

  expect(lost).toBe('ECONNRESET');
  expect(customers()).toHaveLength(3);
});

test('error-after-effect: the write happens, the answer says 500', async () => {
  simulator.setFaults([{ fault: { kind: 'error-after-effect' } }]);

  const reply = await ask(simulator, '/2.0/customers', write('POST', '{}'));
  const refused = await ask(simulator, '/2.0/customers', write('POST', '['));

  expect([reply.status, refused.status]).toEqual([500, 400]);
  expect(customers()).toHaveLength(4);
  expect(simulator.log.entries[0]).toMatchObject({ status: 500, effect: { action: 'created' } });
});
