import { Agent } from 'node:https';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { Fault } from '../../../infra/simulator/faults.ts';
import { type Simulator, startSimulator } from '../../../infra/simulator/simulator.ts';
import { until } from '../../until.ts';
import { ask, type Question } from './ask.ts';

const NOW_MS = Date.UTC(1994, 10, 6, 8, 49, 30);
const KEY = 'a-key/with"quotes';
const LIST = '/2.0/customers?per_page=10';

let simulator: Simulator;
let ordinary: string;

beforeAll(async () => {
  simulator = await startSimulator({
    customers: 25,
    now: () => NOW_MS,
    organizations: [{ key: KEY }],
  });
  ordinary = (await get()).text;
});

beforeEach(() => {
  simulator.resetLog();
  simulator.setFaults([]);
});

afterAll(() => simulator.close());

const get = (path = LIST, question: Question = {}) =>
  ask(simulator, path, { key: KEY, ...question });

function fault(kind: Fault['fault'], when: Fault['when'] = {}): void {
  simulator.setFaults([{ when, fault: kind }]);
}

/** A reset is an error of reading; Node calls a plain end without an answer `ECONNRESET` as well. */
const failureOf = (pending: Promise<unknown>) =>
  pending.catch(({ syscall, code }) => [syscall, code].filter(Boolean).join(' '));

test('status: any status with repeated headers, dates in three forms and a body', async () => {
  const dates = ['{date+7}', '{rfc850+7}', '{asctime-7}'];
  fault({ kind: 'status', status: 503, headers: { 'Retry-After': dates, X: '1' }, body: { a: 1 } });

  const reply = await get();

  expect([reply.status, reply.text]).toEqual([503, '{"a":1}']);
  expect(reply.headers.get('retry-after')).toEqual([
    'Sun, 06 Nov 1994 08:49:37 GMT',
    'Sunday, 06-Nov-94 08:49:37 GMT',
    'Sun Nov  6 08:49:23 1994',
  ]);
  expect(reply.headers.get('x')).toEqual(['1']);
  expect(simulator.log.entries[0]).toMatchObject({
    retryAfterSeconds: 7,
    notBefore: NOW_MS + 7000,
  });
});

test('status: a skewed clock moves Date and Retry-After together', async () => {
  const headers = { 'Retry-After': '{date+7}' };
  fault({ kind: 'status', status: 429, headers, body: 'wait', clockSkewSeconds: -300 });

  const reply = await get();

  expect(reply.text).toBe('wait');
  expect(reply.headers.get('date')).toEqual(['Sun, 06 Nov 1994 08:44:30 GMT']);
  expect(reply.headers.get('retry-after')).toEqual(['Sun, 06 Nov 1994 08:44:37 GMT']);
  expect(simulator.log.entries[0]?.retryAfterSeconds).toBe(7);
});

test.each<[Fault['fault'], number, string, string | RegExp]>([
  [{ kind: 'status', status: 500 }, 500, 'application/json; charset=utf-8', /^\{"error":/],
  [{ kind: 'error-body-200' }, 200, 'application/json; charset=utf-8', /^\{"error":/],
  [{ kind: 'html' }, 200, 'text/html; charset=utf-8', /^<!DOCTYPE html>/],
  [{ kind: 'empty-200' }, 200, 'application/json; charset=utf-8', ''],
  [{ kind: 'no-content-204' }, 204, '', ''],
  [{ kind: 'json-null' }, 200, 'application/json; charset=utf-8', 'null'],
  [{ kind: 'json-empty-object' }, 200, 'application/json; charset=utf-8', '{}'],
])('%j is answered with %d %s %s', async (kind, status, type, body) => {
  fault(kind);

  const reply = await get();

  expect([reply.status, reply.headers.get('content-type')?.join() ?? '']).toEqual([status, type]);
  expect(reply.text).toEqual(typeof body === 'string' ? body : expect.stringMatching(body));
});

test.each([301, 302, 303, 307, 308] as const)('redirect: %d to another origin', async (status) => {
  fault({ kind: 'redirect', status, location: 'https://localhost:1/elsewhere' });

  const reply = await get();

  expect([reply.status, reply.headers.get('location')]).toEqual([
    status,
    ['https://localhost:1/elsewhere'],
  ]);
});

test('gzip: valid', async () => {
  fault({ kind: 'gzip' });

  const { bytes, headers } = await get();

  expect(headers.get('content-encoding')).toEqual(['gzip']);
  expect(gunzipSync(bytes).toString()).toBe(ordinary);
});

test('truncated-gzip: ends early under its own Content-Length', async () => {
  fault({ kind: 'truncated-gzip' });

  const { bytes, headers, cut } = await get();

  expect([cut, headers.get('content-length')]).toEqual([undefined, [String(bytes.length)]]);
  expect(() => gunzipSync(bytes)).toThrow('unexpected end of file');
});

test('gzip-bomb: a valid page of the given size from few bytes', async () => {
  fault({ kind: 'gzip-bomb', decodedBytes: 5_000_000 });

  const { bytes } = await get();
  const decoded = gunzipSync(bytes);

  expect(bytes.length).toBeLessThan(50_000);
  expect(decoded).toHaveLength(5_000_000);
  expect(JSON.parse(decoded.toString()).customers).toHaveLength(1);
});

test('bad-utf8: one byte that UTF-8 does not have', async () => {
  fault({ kind: 'bad-utf8' });

  const { bytes } = await get();

  expect(bytes.includes(0xff)).toBe(true);
  expect(bytes).toHaveLength(Buffer.byteLength(ordinary));
});

test('utf-8-bom: before an ordinary body', async () => {
  fault({ kind: 'utf-8-bom' });

  expect((await get()).text).toBe(`\ufeff${ordinary}`);
});

test('skewed-date: a Date header of another clock', async () => {
  fault({ kind: 'skewed-date', seconds: 300 });

  const { headers, text } = await get();

  expect(headers.get('date')).toEqual(['Sun, 06 Nov 1994 08:54:30 GMT']);
  expect(text).toBe(ordinary);
});

test.each([
  ['plain', 'a-key/with\\"quotes'],
  ['json-escaped', '\\u0061\\u002d\\u006b'],
  ['base64', Buffer.from(KEY).toString('base64')],
] as const)('echo-key: in four places, %s', async (form, shown) => {
  const replies = [];
  for (const where of ['body', 'next-url', 'error-body', 'header'] as const) {
    fault({ kind: 'echo-key', where, form });
    replies.push(await get());
  }

  const [body, nextUrl, errorBody, header] = replies;
  expect(body?.text).toContain(`{"debug":"${shown}`);
  expect(nextUrl?.text).toContain(`{"next":"https://localhost/2.0/customers?page=2&key=${shown}`);
  expect([errorBody?.status, errorBody?.text]).toEqual([400, expect.stringContaining(shown)]);
  expect(header?.headers.get('x-debug-key')?.[0]).toContain(shown);
  for (const reply of replies) expect(() => JSON.parse(reply.text)).not.toThrow();
  expect(JSON.stringify(simulator.log.entries)).not.toContain('a-key');
});

test('cut-body: half of what Content-Length promises, then the end', async () => {
  fault({ kind: 'cut-body' });

  const { cut, bytes, headers } = await get();

  expect([cut, headers.get('content-length')]).toEqual([
    'ECONNRESET',
    [String(Buffer.byteLength(ordinary))],
  ]);
  expect(bytes).toHaveLength(Math.floor(Buffer.byteLength(ordinary) / 2));
});

test('cut-close-delimited: half of the body, and HTTP finds nothing wrong', async () => {
  fault({ kind: 'cut-close-delimited' });

  const { cut, text, headers } = await get();

  expect(cut).toBeUndefined();
  expect([headers.get('content-length'), headers.get('transfer-encoding')]).toEqual([
    undefined,
    undefined,
  ]);
  expect(Buffer.byteLength(ordinary)).toBeGreaterThan(text.length);
  expect(() => JSON.parse(text)).toThrow();
});

test('reset-mid-body: part of the body, then RST', async () => {
  fault({ kind: 'reset-mid-body' });

  const { cut, bytes } = await get();

  expect(cut).toBe('ECONNRESET');
  expect(bytes.length).toBeLessThan(Buffer.byteLength(ordinary));
  expect(simulator.log.entries[0]?.status).toBe(200);
});

test('reset-before-headers: RST instead of an answer', async () => {
  fault({ kind: 'reset-before-headers' });

  expect(await failureOf(get())).toBe('read ECONNRESET');
  expect(simulator.log.entries[0]).toMatchObject({
    status: 'reset',
    fault: 'reset-before-headers',
  });
});

test('reset-keep-alive: an ordinary answer, RST for the next request on the connection', async () => {
  simulator.setFaults([{ times: 1, fault: { kind: 'reset-keep-alive' } }]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  const first = await get(LIST, { agent });
  const second = await failureOf(get(LIST, { agent }));
  const third = await get(LIST, { agent });
  agent.destroy();

  expect([first.status, second, third.status]).toEqual([200, 'read ECONNRESET', 200]);
  const [one, two, three] = simulator.log.entries.map(({ connection }) => connection);
  expect(two).toBe(one);
  expect(three).not.toBe(one);
});

test('silence: no answer until the client gives up, and the log says so', async () => {
  fault({ kind: 'silence' });
  const agent = new Agent();
  const pending = failureOf(get(LIST, { agent }));
  await until('silence', () => simulator.log.entries[0]?.status === 'silent');

  agent.destroy();

  expect(await pending).toBe('ECONNRESET');
  await until('its end', () => simulator.log.entries[0]?.remoteAborted);
  expect(simulator.log.entries[0]?.answeredAt).toBeUndefined();
});

test('headers-then-silence: a head, then nothing', async () => {
  fault({ kind: 'headers-then-silence' });
  const agent = new Agent();
  const pending = get(LIST, { agent });
  await until('an answer', () => simulator.log.entries[0]?.status === 200);
  await new Promise((resolve) => setTimeout(resolve, 50)); // for the head to arrive

  agent.destroy();

  const { status, cut, bytes } = await pending;
  expect([status, cut, bytes.length]).toEqual([200, 'ECONNRESET', 0]);
});

test('slow-drip: the whole body, a few bytes at a time', async () => {
  fault({ kind: 'slow-drip', bytes: 500, everyMs: 5 });

  const begin = performance.now();
  const { text } = await get();

  expect(text).toBe(ordinary);
  expect(performance.now() - begin).toBeGreaterThan((Buffer.byteLength(ordinary) / 500 - 2) * 5);
});

test('delay: an ordinary answer, later', async () => {
  fault({ kind: 'delay', ms: 60 });

  const begin = performance.now();
  const { text } = await get();

  expect(text).toBe(ordinary);
  expect(performance.now() - begin).toBeGreaterThanOrEqual(55);
});

test('ignore-page: page 1 whatever was asked', async () => {
  fault({ kind: 'ignore-page' });

  expect((await get('/2.0/customers?page=3&per_page=10')).text).toBe(ordinary);
});

test('clamp-per-page: fewer records than asked for', async () => {
  fault({ kind: 'clamp-per-page', perPage: 4 });

  expect(JSON.parse((await get()).text).customers).toHaveLength(4);
});

test('half-list: the second half is gone, and counts and pages say the same', async () => {
  fault({ kind: 'half-list' });
  const { length } = simulator.customersOf(KEY);
  const half = Math.floor(length / 2);

  const { customers, meta } = JSON.parse((await get('/2.0/customers?page=1&per_page=100')).text);
  const next = JSON.parse((await get('/2.0/customers?page=2&per_page=100')).text);

  expect([customers.length, meta.total_count, meta.total_pages]).toEqual([half, half, 1]);
  expect(next.customers).toEqual([]);
  simulator.setFaults([]);
  const whole = JSON.parse((await get('/2.0/customers?page=1&per_page=100')).text);
  expect(whole.customers).toHaveLength(length);
});

test('repeat-page: the records of another page in reverse, under the counts of this one', async () => {
  fault({ kind: 'repeat-page', of: 1 });

  const { customers, meta } = JSON.parse((await get('/2.0/customers?page=2&per_page=10')).text);

  expect(customers).toEqual(JSON.parse(ordinary).customers.toReversed());
  expect(meta.current_page).toBe(2);
});

test('cycle-pages: the pages begin again after some, in reverse', async () => {
  fault({ kind: 'cycle-pages', length: 2 });
  const customersOf = async (page: number) =>
    JSON.parse((await get(`/2.0/customers?page=${page}&per_page=10`)).text).customers;

  expect(await customersOf(1)).toEqual(JSON.parse(ordinary).customers);
  expect(await customersOf(9)).toEqual(JSON.parse(ordinary).customers.toReversed());
  expect(await customersOf(8)).toEqual((await customersOf(2)).toReversed());
});

test('repeat-last-page: past the end comes the last page again', async () => {
  const last = (await get('/2.0/customers?page=3&per_page=10')).text;
  fault({ kind: 'repeat-last-page' });

  expect((await get('/2.0/customers?page=9&per_page=10')).text).toBe(last);
  expect((await get()).text).toBe(ordinary);
});

test('past-end-status: an error past the end only', async () => {
  fault({ kind: 'past-end-status', status: 422 });

  expect((await get('/2.0/customers?page=4&per_page=10')).status).toBe(422);
  expect((await get('/2.0/customers?page=3&per_page=10')).status).toBe(200);
});

test('status: may lie about its own length', async () => {
  fault({ kind: 'status', status: 500, headers: { 'Content-Length': '2' }, body: '{}' });

  expect((await get()).headers.get('content-length')).toEqual(['2']);
});

test('a fault finds its page when the request names none', async () => {
  fault(
    { kind: 'json-null' },
    { page: 1, resource: 'customers', organization: 'Demo Organization' },
  );

  expect((await get('/2.0/customers')).text).toBe('null');
  expect((await get('/2.0/customers?page=2')).text).not.toBe('null');
});
