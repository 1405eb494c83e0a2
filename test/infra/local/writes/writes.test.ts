import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { checkLog } from '../../../../infra/simulator/check-log.ts';
import { checkWriteDetail } from '../../../faults/check-event.ts';
import { signedFetch } from '../signed-fetch.ts';
import { KEYS, startWritesWorld, WRONG_KEY } from './writes-world.ts';

const TIMEOUT_MS = 120_000;
const pageOf = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../../docs', name), 'utf8');
const page = pageOf('writes.md');
const httpApiPage = pageOf('http-api.md');

let world: Awaited<ReturnType<typeof startWritesWorld>>;
/** Number of the latest request before the test. */
let before: number;
beforeAll(async () => {
  world = await startWritesWorld();
  world.storeKey('demo', KEYS.demo);
  world.storeKey('late', WRONG_KEY);
}, TIMEOUT_MS);
afterAll(() => world.close());
beforeEach(() => {
  world.play();
  before = world.api.log.entries.length;
});

const create = (reference: string) => ({ name: 'Ada', reference });

test(
  'a lost answer is repeated with the same Idempotency-Key, and takes effect once',
  async () => {
    world.play({ when: { method: 'POST' }, times: 1, fault: { kind: 'lose-answer' } });

    const asked = await world.request(
      'demo',
      { operation: 'create', body: create('kept') },
      {
        'Idempotency-Key': 'kept',
      },
    );
    expect(asked).toMatchObject({ status: 202, body: { result: 'accepted' } });
    expect(asked.headers.get('location')).toBe('writes/kept');
    expect(await world.until('demo', 'kept', 'done')).toMatchObject({
      settledBy: 'answer',
      answer: { status: 201 },
      counters: { requests: 2 },
    });

    const sent = world.writesSince(before);
    expect(sent).toHaveLength(2);
    expect(sent[0]?.idempotencyKey).toBeDefined();
    expect(sent[1]?.idempotencyKey).toBe(sent[0]?.idempotencyKey);
    expect(world.effectsOf('kept')).toHaveLength(1);
    checkWriteDetail('done', await world.told('Write Done', 'kept'));
  },
  TIMEOUT_MS,
);

test(
  'without a key and a check a lost answer is one request, and a person settles it by the documented command',
  async () => {
    world.play({ when: { method: 'POST' }, times: 1, fault: { kind: 'lose-answer' } });

    await world.request('demo', {
      writeId: 'order-4711',
      operation: 'create-plainly',
      body: create('plain'),
    });
    const unclear = await world.until('demo', 'order-4711', 'unclear');
    checkWriteDetail('unclear', await world.told('Write Unclear', 'order-4711'));
    // It is listed once its worker knows that the event was sent.
    await world.stack.idle();

    expect(unclear).toMatchObject({
      reason: { code: 'no-clear-answer' },
      counters: { requests: 1 },
    });
    expect(await world.listUnclear('demo')).toMatchObject({
      body: { writes: [{ writeId: 'order-4711' }], hasMore: false },
    });
    expect(world.writesSince(before)).toHaveLength(1);

    const [define = ''] = /^call\(\) .*$/m.exec(httpApiPage) ?? [];
    const [command = ''] = /^call .*\/writes\/order-4711\/settlement.*$/m.exec(page) ?? [];
    expect([define, command]).not.toContain('');
    const { region, credentials } = world.stack.endpoint;
    const environment = {
      U: world.urlOf('demo'),
      AWS_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    const answer = JSON.parse(await world.shell(`${define}\n${command}`, environment));

    expect(answer).toMatchObject({
      status: 'done',
      settledBy: 'person',
      settlements: [
        {
          by: expect.stringMatching(/:user\/local$/),
          decision: 'done',
          before: { status: 'unclear', reason: { code: 'no-clear-answer' } },
        },
      ],
    });
    checkWriteDetail('done', await world.told('Write Done', 'order-4711'));
    expect(world.writesSince(before)).toHaveLength(1);
    expect(world.effectsOf('plain')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  'a person who finds that nothing happened has it sent again',
  async () => {
    world.play({ when: { method: 'POST' }, times: 1, fault: { kind: 'lose-request' } });
    await world.request('demo', {
      writeId: 'again',
      operation: 'create-plainly',
      body: create('again'),
    });
    const { attempt } = await world.until('demo', 'again', 'unclear');

    await signedFetch(world.stack.endpoint, `${world.urlOf('demo')}/writes/again/settlement`, {
      method: 'POST',
      body: JSON.stringify({ attempt, decision: 'retry', note: 'Not in the list.' }),
    });

    expect(await world.until('demo', 'again', 'done')).toMatchObject({
      settledBy: 'answer',
      settlements: [{ decision: 'retry', note: 'Not in the list.' }],
    });
    expect(world.effectsOf('again')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test.each([
  ['took effect', 'lose-answer', 1, 'check'],
  ['did not', 'lose-request', 2, 'answer'],
] as const)(
  'a check finds that a write %s',
  async (_, kind, requests, settledBy) => {
    world.play({ when: { method: 'PATCH' }, times: 1, fault: { kind } });
    const [, customer = ''] = world.api.customersOf(KEYS.demo);
    // As text: JSON.parse would lose digits.
    const [, id = ''] = /"id":\s*"?(\w+)/.exec(customer) ?? [];

    await world.request('demo', {
      writeId: `rename-${kind}`,
      operation: 'rename',
      params: { id },
      body: { name: `Renamed ${kind}`, reference: kind },
    });

    expect(await world.until('demo', `rename-${kind}`, 'done')).toMatchObject({
      settledBy,
      counters: { requests },
    });
    expect(world.writesSince(before)).toHaveLength(requests);
    expect(world.effectsOf(kind)).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  'an event and a message ask for writes, and one that comes twice is one write',
  async () => {
    const write = { v: 1, connection: 'demo', operation: 'create' };
    const asked = { ...write, writeId: 'by-event', body: create('by-event') };
    const sent = { ...write, writeId: 'by-message', body: create('by-message') };
    await Promise.all([
      world.putEvent(asked),
      world.putEvent(asked),
      world.sendMessage(sent),
      world.sendMessage(sent),
    ]);

    for (const id of ['by-event', 'by-message']) {
      checkWriteDetail('done', await world.told('Write Done', id));
      expect(world.effectsOf(id)).toHaveLength(1);
    }
    expect(world.writesSince(before)).toHaveLength(2);
  },
  TIMEOUT_MS,
);

test(
  'over HTTP, from an event and from a message a write arrives with the text that was sent',
  async () => {
    const members = '"n":[1.0,-0,1e2],"1":"\\u00e9\\/ \\ud800","n":0.5,"__proto__":{"é":""}';
    const written = (writeId: string, more = '') =>
      `{"v":1,"connection":"demo","operation":"create","writeId":"${writeId}","body":{"reference":"${writeId}",${more}${members}}}`;
    // EventBridge is not known to keep these.
    const digits = '"id":12345678901234567890,"rate":0.1000000000000000055,';

    await world.request(
      'demo',
      written('exact-http', digits).replace(/"v".*?"operation"/, '"operation"'),
    );
    await world.sendMessage(written('exact-message', digits));
    await world.putEvent(written('exact-event'));
    await world.putEvent(written('lost-event', digits));

    for (const id of ['exact-http', 'exact-message', 'exact-event']) {
      await world.told('Write Done', id);
      const more = id === 'exact-event' ? '' : digits;
      expect(world.writesSince(before).map(({ body }) => body)).toContain(
        `{"reference":"${id}",${more}${members}}`,
      );
    }
    expect(world.writesSince(before)).toHaveLength(3);
  },
  TIMEOUT_MS,
);

test(
  'a number that is a param changes the record with these digits, and bytes that are not UTF-8 change nothing',
  async () => {
    const id = '9007199254740993';
    const rename = `{"operation":"rename","params":{"id":${id}},"body":{"name":"Ada"}}`;
    const latin1 = Buffer.from('{"operation":"create","body":{"name":"René"}}', 'latin1');

    const refused = await world.request('demo', latin1, { 'Idempotency-Key': 'latin-1' });
    const asked = await world.request('demo', rename, { 'Idempotency-Key': 'digits' });

    expect(refused).toMatchObject({ status: 400, body: { field: 'body' } });
    expect(asked).toMatchObject({ status: 202 });
    await world.told('Write Done', 'digits');
    expect(world.writesSince(before).map(({ url }) => url)).toEqual([`/2.0/customers/${id}`]);
  },
  TIMEOUT_MS,
);

test(
  'the same id with another body changes nothing: 409 over HTTP, a dead letter from the queue',
  async () => {
    const first = await world.request('demo', {
      writeId: 'taken',
      operation: 'create',
      body: create('taken'),
    });
    const same = await world.request('demo', {
      writeId: 'taken',
      operation: 'create',
      body: { reference: 'taken', name: 'Ada' },
    });
    const other = await world.request('demo', {
      writeId: 'taken',
      operation: 'create',
      body: create('other'),
    });
    await world.sendMessage({
      v: 1,
      connection: 'demo',
      writeId: 'taken',
      operation: 'create',
      body: create('other'),
    });

    expect(first.status).toBe(202);
    expect(same).toMatchObject({ body: { result: 'joined' } });
    expect(other).toMatchObject({ status: 409, body: { code: 'write-conflict' } });
    await world.until('demo', 'taken', 'done');
    await world.stack.idle();
    expect(world.effectsOf('other')).toEqual([]);
    expect(world.lines.join('')).toContain('Another write has the id taken');
  },
  TIMEOUT_MS,
);

test(
  'a throttled write waits as the API says',
  async () => {
    world.play({
      when: { method: 'POST' },
      times: 1,
      fault: { kind: 'status', status: 429, headers: { 'Retry-After': '2' } },
    });

    await world.request('demo', { writeId: 'slow', operation: 'create', body: create('slow') });

    expect(await world.until('demo', 'slow', 'done')).toMatchObject({
      counters: { requests: 2, throttles: 1 },
    });
    expect(checkLog(world.api.log.entries).earlyRequests).toEqual([]);
    expect(world.effectsOf('slow')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  'a refused write ends with what the API said',
  async () => {
    world.play({
      when: { method: 'POST' },
      times: 1,
      fault: { kind: 'status', status: 422, body: { error: { code: 'name_taken' } } },
    });

    await world.request('demo', { writeId: 'bad', operation: 'create', body: create('bad') });

    const detail = await world.told('Write Refused', 'bad');
    checkWriteDetail('refused', detail);
    expect(detail).toMatchObject({ status: 422, apiCode: 'name_taken', reasonCode: 'refused' });
    expect(world.writesSince(before)).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test(
  'writes of one orderKey are carried out in the order in which they were asked for',
  async () => {
    const ids = ['first', 'second', 'third', 'fourth'];
    // The first one is slow; without an order the others would pass it.
    world.play({ when: { method: 'POST' }, times: 1, fault: { kind: 'delay', ms: 700 } });
    for (const writeId of ids) {
      await world.request('demo', {
        writeId,
        operation: 'create',
        body: create(writeId),
        orderKey: 'customer-7',
      });
    }

    await world.until('demo', 'fourth', 'done');
    const effects = world.api.log.entries
      .slice(before)
      .flatMap(({ effect }) => effect?.reference ?? []);
    expect(effects).toEqual(ids);
  },
  TIMEOUT_MS,
);

test(
  'a rejected key is sent once; with a new one the write goes on',
  async () => {
    await world.request('late', { writeId: 'held', operation: 'create', body: create('held') });
    await world.untilHalted('late', 'held');
    expect(world.writesSince(before)).toHaveLength(1);

    world.storeKey('late', KEYS.late);

    expect(await world.until('late', 'held', 'done')).toMatchObject({ waitsForKey: false });
    expect(world.writesSince(before)).toHaveLength(2);
    expect(world.effectsOf('held')).toHaveLength(1);
  },
  TIMEOUT_MS,
);

test('all of that is refused nothing by the roles that are deployed, and no key shows', () => {
  expect(world.stack.denied).toEqual([]);
  expect(world.lines.join('')).not.toMatch(/key-of-|key-that-is-wrong/);
  const unused = world.stack
    .grants()
    .filter(({ place, used }) => /ApplyWriteRole/.test(place) && !used)
    .map(({ action }) => action);
  expect(unused).toEqual([]);
});
