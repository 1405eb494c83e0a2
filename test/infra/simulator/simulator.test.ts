import { Agent } from 'node:https';
import tls from 'node:tls';
import { afterEach, expect, test } from '@jest/globals';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { checkLog, FLIGHT_MS } from '../../../infra/simulator/check-log.ts';
import { DEMO_KEY, type SimulatorOptions } from '../../../infra/simulator/options.ts';
import {
  type Simulator,
  startSimulator,
  startSimulatorWith,
} from '../../../infra/simulator/simulator.ts';
import { until } from '../../until.ts';
import { ask, askJson } from './ask.ts';
import { compactJson } from './compact-json.ts';

const running: Simulator[] = [];
const certificates = createCertificates(Date.now());

async function start(options: SimulatorOptions = {}): Promise<Simulator> {
  const simulator = await startSimulatorWith(await certificates, { customers: 60, ...options });
  running.push(simulator);
  return simulator;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((simulator) => simulator.close()));
});

test('serves pages whose records are the truth, byte for byte and in order', async () => {
  const simulator = await start();

  const pages = [];
  for (const page of [1, 2, 3, 4]) {
    pages.push(await ask(simulator, `/2.0/customers?page=${page}&per_page=20`));
  }

  const truth = simulator.customersOf(DEMO_KEY);
  expect(pages.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  pages.slice(0, 3).forEach(({ text }, index) => {
    const records = truth.slice(index * 20, index * 20 + 20).join(',');
    expect(text.startsWith(`{"customers":[${records}],"meta":{`)).toBe(true);
  });
  expect(JSON.parse(pages[3]?.text ?? '')).toMatchObject({ customers: [] });
  expect(truth).toHaveLength(60);
  expect(new Set(truth).size).toBe(60);
});

test('customers hold what clients get wrong', async () => {
  const truth = (await start()).customersOf(DEMO_KEY).join('\n');

  expect(truth).toContain('"id":9007199254740993,');
  expect(truth).toContain('"balance":1.10,');
  expect(truth).toContain('🎉');
  expect(truth).toContain('\\u00e9');
  expect(truth).toContain('"company":null');
  expect(truth).toContain('"__proto__":{"admin":true}');
  const ids = truth.split('\n').map((text) => Number(/\d+/.exec(text)?.[0]));
  expect(new Set(ids).size).toBeLessThan(60);
});

test('the same seed gives the same customers, another one others', async () => {
  const [first, same, other] = await Promise.all([start(), start(), start({ seed: 2 })]);

  expect(same.customersOf(DEMO_KEY)).toEqual(first.customersOf(DEMO_KEY));
  expect(other.customersOf(DEMO_KEY)).not.toEqual(first.customersOf(DEMO_KEY));
});

test('answers one record by its id, with every digit', async () => {
  const simulator = await start();

  const { text, status } = await ask(simulator, '/2.0/customers/9007199254740993');

  expect([status, text]).toEqual([200, simulator.customersOf(DEMO_KEY)[12]]);
});

const RESOURCES = ['customers', 'invoices', 'subscriptions'] as const;

test('has several lists of one organization, as long as they are asked to be', async () => {
  const simulator = await start({ invoices: 30, subscriptions: 5 });
  const [other, more] = await Promise.all([start(), start({ seed: 2 })]);

  for (const resource of RESOURCES) {
    const truth = simulator.recordsOf(DEMO_KEY, resource, { status: 'all' });
    const { text } = await ask(simulator, `/2.0/${resource}?per_page=100&status=all`);
    expect(text.startsWith(`{"${resource}":[${truth.join(',')}],"meta":{`)).toBe(true);
    const [first = ''] = truth;
    const [, id] = /^{"id":"?(\w+)/.exec(first) ?? [];
    expect((await ask(simulator, `/2.0/${resource}/${id}`)).text).toBe(first);
    expect(other.recordsOf(DEMO_KEY, resource)).not.toEqual(more.recordsOf(DEMO_KEY, resource));
  }
  const sizes = (of: Simulator) =>
    RESOURCES.map((resource) => of.recordsOf(DEMO_KEY, resource, { status: 'all' }).length);
  expect([sizes(simulator), sizes(other)]).toEqual([
    [60, 30, 5],
    [60, 6, 6],
  ]);
});

test('the other lists hold what clients get wrong: nested records, ids as text, members of several types', async () => {
  const simulator = await start({ invoices: 30, subscriptions: 30 });

  const invoices = simulator.recordsOf(DEMO_KEY, 'invoices').join('\n');
  const subscriptions = simulator.recordsOf(DEMO_KEY, 'subscriptions').join('\n');
  for (const part of [
    '"id":9107199254740993,',
    '"total":12345678901234567890.123,',
    '"quantity":10000000000000000001,',
    '"purchase_order":4500017093,',
    '"purchase_order":"4500017093",',
    '"purchase_order":null,',
    '"customer":{"id":9007199254740993,',
    '"lines":[],',
    '"paid_at":null}',
  ]) {
    expect(invoices).toContain(part);
  }
  for (const part of [
    '"id":"sub_0000000001",',
    '"customer_id":"9007199254740981",',
    '"requests":18446744073709551615,',
    '"usage":null,',
  ]) {
    expect(subscriptions).toContain(part);
  }
});

test('a list that declares it is filtered by status, with counts and links of what was asked for', async () => {
  const simulator = await start({ invoices: 40, subscriptions: 40, meta: 'laravel' });
  const all = simulator.recordsOf(DEMO_KEY, 'subscriptions', { status: 'all' });
  const byStatus = Map.groupBy(all, (text) => JSON.parse(text).status);

  const canceled = await askJson(simulator, '/2.0/subscriptions?per_page=3&status=canceled');
  const shown = simulator.recordsOf(DEMO_KEY, 'subscriptions');

  expect([...byStatus.keys()].sort()).toEqual(['active', 'canceled', 'paused']);
  expect(canceled.value).toMatchObject({
    data: byStatus
      .get('canceled')
      ?.slice(0, 3)
      .map((text) => JSON.parse(text)),
    links: {
      next: expect.stringContaining('/2.0/subscriptions?status=canceled&page=2&per_page=3'),
    },
    meta: { total: byStatus.get('canceled')?.length },
  });
  // Those that ended come only when they are asked for.
  expect(shown).toEqual(all.filter((text) => JSON.parse(text).status !== 'canceled'));
  expect(simulator.recordsOf(DEMO_KEY, 'invoices')).toHaveLength(40);
  // A list that declares no filter takes no notice of one.
  expect((await ask(simulator, '/2.0/customers?status=canceled')).status).toBe(200);
});

test('a record changes its status by a write, and its page with it', async () => {
  const simulator = await start({ invoices: 8 });
  const open = async () => {
    const { text } = await ask(simulator, '/2.0/invoices?status=open');
    return JSON.parse(text).meta.total_count;
  };
  const before = await open();
  const [first = ''] = simulator.recordsOf(DEMO_KEY, 'invoices', { status: 'open' });

  const path = `/2.0/invoices/${/\d+/.exec(first)?.[0]}`;
  const headers = { 'Content-Type': 'application/json' };
  await ask(simulator, path, { method: 'PATCH', headers, body: '{"status":"paid"}' });

  expect([before, await open()]).toEqual([2, 1]);
});

test('one limit holds for all lists of an organization, and the log names the list of each request', async () => {
  const limit = { kind: 'fixed-window', requests: 2, windowSeconds: 60 } as const;
  const simulator = await start({ limit });

  const statuses = [];
  for (const resource of RESOURCES) {
    statuses.push((await ask(simulator, `/2.0/${resource}?page=1`)).status);
  }
  await ask(simulator, '/elsewhere');

  expect(statuses).toEqual([200, 200, 429]);
  const { entries } = simulator.log;
  expect(entries.map(({ resource }) => resource)).toEqual([...RESOURCES, undefined]);
  expect(checkLog(entries)).toMatchObject({ throttled: 2, earlyRequests: [4] });
});

test.each([
  ['/2.0/customers?page=0', 422, 'invalid_parameter'],
  ['/2.0/customers?page=-1', 422, 'invalid_parameter'],
  ['/2.0/customers?page=x', 422, 'invalid_parameter'],
  ['/2.0/customers?page=1.5', 422, 'invalid_parameter'],
  ['/2.0/customers?per_page=0', 422, 'invalid_parameter'],
  ['/2.0/customers?per_page=', 422, 'invalid_parameter'],
  ['/2.0/invoices?status=late', 422, 'invalid_parameter'],
  ['/2.0/invoices?status=', 422, 'invalid_parameter'],
  ['/2.0/subscriptions/sub_1', 404, 'not_found'],
  ['/2.0/customers/1', 404, 'not_found'],
  ['/2.0/customers/', 404, 'not_found'],
  ['/2.0/customers/1/x', 404, 'not_found'],
  ['/2.0/unknown', 404, 'not_found'],
  ['/', 404, 'not_found'],
])('refuses %s with %d and an error body', async (path, status, code) => {
  const reply = await askJson(await start(), path);

  expect(reply.status).toBe(status);
  expect(reply.value).toMatchObject({ error: { code } });
});

test('refuses methods and formats that the API does not have', async () => {
  const simulator = await start();

  const method = await ask(simulator, '/2.0/customers', { method: 'DELETE' });
  const format = await ask(simulator, '/2.0/customers', { headers: { Accept: 'text/html' } });

  expect([method.status, method.headers.get('allow')]).toEqual([405, ['GET, POST']]);
  expect(format.status).toBe(406);
});

test('uses its own page size without per_page and lowers a larger one', async () => {
  const simulator = await start({ perPage: 7, maxPerPage: 10 });

  const count = async (query: string) => {
    const { text } = await ask(simulator, `/2.0/customers${query}`);
    return JSON.parse(text).customers.length;
  };

  expect([await count(''), await count('?per_page=3'), await count('?per_page=50')]).toEqual([
    7, 3, 10,
  ]);
});

test('counts pages from 0 on request', async () => {
  const simulator = await start({ firstPage: 0, customers: 3 });

  const { value } = await askJson(simulator, '/2.0/customers?page=0&per_page=2');

  expect(value).toMatchObject({ meta: { current_page: 0, next_page: 1, prev_page: null } });
  expect((await ask(simulator, '/2.0/customers?page=1&per_page=2')).text).toContain(
    simulator.customersOf(DEMO_KEY)[2],
  );
});

test('answers below its base path only', async () => {
  const simulator = await start({ basePath: '/eu/api', meta: 'links' });

  const { value, status } = await askJson(simulator, '/2.0/customers');
  const outside = await ask(
    { ...simulator, url: simulator.url.replace('/eu/api', '') },
    '/2.0/customers',
  );

  expect(status).toBe(200);
  expect(value).toMatchObject({
    meta: { links: { next: `${simulator.url}/2.0/customers?page=2&per_page=25` } },
  });
  expect(outside.status).toBe(404);
});

test('indents on request without touching a record', async () => {
  const simulator = await start({ pretty: true, customers: 3, meta: 'bare' });

  const { text } = await ask(simulator, '/2.0/customers');

  expect(text).toContain('\n  {\n    "id": 90');
  expect(compactJson(text)).toBe(`[${simulator.customersOf(DEMO_KEY).join(',')}]`);
});

test('a missing, unknown or revoked key is answered 401 and no key gets into the log', async () => {
  const organizations = [
    { key: 'old-key-of-acme', name: 'Acme', status: 'revoked' },
    { key: 'new-key-of-acme', name: 'Acme' },
    { key: 'key-of-other', name: 'Other', customers: 1 },
  ] as const;
  const simulator = await start({ organizations });
  const statusOf = async (key: string) => (await ask(simulator, '/2.0/customers', { key })).status;

  expect(await statusOf('')).toBe(401);
  expect(await statusOf('guessed-key')).toBe(401);
  expect(await statusOf('old-key-of-acme')).toBe(401);
  expect(await statusOf('new-key-of-acme')).toBe(200);
  expect(await statusOf('key-of-other')).toBe(200);
  simulator.setKeyStatus('new-key-of-acme', 'revoked');
  expect(await statusOf('new-key-of-acme')).toBe(401);

  expect(simulator.log.entries.map(({ keyId }) => keyId)).toEqual([
    'none',
    'unknown/1',
    'Acme/1',
    'Acme/2',
    'Other/1',
    'Acme/2',
  ]);
  expect(JSON.stringify(simulator.log.entries)).not.toMatch(/-key|key-of/);
});

test('keys of one organization open the same customers, other organizations have others', async () => {
  const organizations = [
    { key: 'a', name: 'A' },
    { key: 'b', name: 'A' },
    { key: 'c', name: 'C' },
  ];
  const simulator = await start({ organizations });
  const idsOf = (key: string) => simulator.customersOf(key).map((text) => text.split(',')[0]);

  expect(simulator.customersOf('a')).toEqual(simulator.customersOf('b'));
  expect(new Set([...idsOf('a'), ...idsOf('c')]).size).toBe(120);
});

test.each([
  ['seconds', '2'],
  ['date', 'Thu, 01 Jan 2026 00:00:12 GMT'],
] as const)(
  'throttles with Retry-After in %s, per key, by its clock',
  async (retryAfter, expected) => {
    let nowMs = Date.UTC(2026, 0, 1, 0, 0, 10);
    const simulator = await start({
      retryAfter,
      now: () => nowMs,
      limit: { kind: 'token-bucket', ratePerSecond: 0.5, burst: 1 },
      organizations: [{ key: 'a' }, { key: 'b' }],
    });
    const request = (key: string) => askJson(simulator, '/2.0/customers?per_page=1', { key });

    await request('a');
    const throttled = await request('a');
    const other = await request('b');
    nowMs += 2000;
    const later = await request('a');

    expect([throttled.status, other.status, later.status]).toEqual([429, 200, 200]);
    expect(throttled.headers.get('retry-after')).toEqual([expected]);
    expect(throttled.headers.get('date')).toEqual(['Thu, 01 Jan 2026 00:00:10 GMT']);
    expect(throttled.value).toMatchObject({ error: { code: 'rate_limited' } });
    expect(simulator.log.entries[1]).toMatchObject({
      n: 2,
      at: nowMs - 2000,
      perPage: 1,
      status: 429,
      answeredAt: nowMs - 2000,
      retryAfterSeconds: 2,
      notBefore: nowMs,
    });
    expect(checkLog(simulator.log.entries)).toMatchObject({ throttled: 1, earlyRequests: [] });
  },
);

test('admits so many requests at the same time, and one more when one of them is answered', async () => {
  const simulator = await start({ limit: { kind: 'at-once', requests: 3 } });
  simulator.setFaults([{ when: { to: 2 }, fault: { kind: 'silence' } }]);
  const hanging = new AbortController();
  const silent = [1, 2].map(() => ask(simulator, '/2.0/customers', { signal: hanging.signal }));
  await until('two requests are under way', () => simulator.log.entries.length === 2);

  const third = await ask(simulator, '/2.0/customers');
  simulator.setFaults([{ when: { request: 4 }, fault: { kind: 'silence' } }]);
  silent.push(ask(simulator, '/2.0/customers', { signal: hanging.signal }));
  await until('three requests are under way', () => simulator.log.entries.length === 4);
  const tooMany = await ask(simulator, '/2.0/customers');
  hanging.abort();
  await Promise.allSettled(silent);
  await until('they are over', () => simulator.log.entries[3]?.remoteAborted === true);
  const again = await ask(simulator, '/2.0/customers');

  expect([third.status, tooMany.status, again.status]).toEqual([200, 429, 200]);
  expect(tooMany.headers.get('retry-after')).toEqual(['1']);
});

test('tells the state of its limit in each answer, a throttle too', async () => {
  const limit = { kind: 'fixed-window', requests: 1, windowSeconds: 60 } as const;
  const simulator = await start({ limit, rateLimitHeaders: 'draft-8', now: () => 0 });

  const answers = [await ask(simulator, '/2.0/customers'), await ask(simulator, '/2.0/nothing')];

  expect(answers.map(({ status, headers }) => [status, headers.get('ratelimit')])).toEqual([
    [200, ['"1-in-60s";r=0;t=60']],
    [429, ['"1-in-60s";r=0;t=60']],
  ]);
});

test('its own log convicts a client that comes back too early', async () => {
  const limit = { kind: 'fixed-window', requests: 1, windowSeconds: 60 } as const;
  const simulator = await start({ limit });

  for (let count = 0; count < 3; count += 1) await ask(simulator, '/2.0/customers');

  expect(checkLog(simulator.log.entries).earlyRequests).toEqual([3]);
});

test('its own log convicts nobody whose request it read late, and still who asks while it may read in time', async () => {
  let stillMs = 0;
  const limit = { kind: 'fixed-window', requests: 2, windowSeconds: 60 } as const;
  const now = () => {
    // The throttle is on its way, and the other request is read next.
    if (simulator.log.entries[2]?.answeredAt !== undefined) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stillMs);
      stillMs = 0;
    }
    return Date.now();
  };
  const simulator = await start({ limit, now });
  const agents = [0, 1].map(() => new Agent({ keepAlive: true }));
  for (const agent of agents) await ask(simulator, '/2.0/customers', { agent });
  stillMs = 2 * FLIGHT_MS;

  await Promise.all(agents.map((agent) => ask(simulator, '/2.0/customers', { agent })));
  const [, , throttle, late] = simulator.log.entries;
  const flownMs = (late?.answeredAt ?? 0) + 2 * FLIGHT_MS;
  await until('answers are no longer on their way', () => Date.now() > flownMs);
  await ask(simulator, '/2.0/customers');
  for (const agent of agents) agent.destroy();

  expect(late?.at).toBeGreaterThan((throttle?.answeredAt ?? 0) + FLIGHT_MS);
  expect(checkLog(simulator.log.entries, { flightMs: FLIGHT_MS }).earlyRequests).toEqual([5]);
});

test('the list changes while it is read, the same way for the same seed', async () => {
  const change = { everyRequests: 2, inserts: 2, deletes: 1, updates: 1 };
  const [one, two] = await Promise.all([start({ change }), start({ change })]);

  for (const simulator of [one, two]) {
    for (let page = 1; page <= 4; page += 1) await ask(simulator, `/2.0/customers?page=${page}`);
  }

  expect(one.customersOf(DEMO_KEY)).toEqual(two.customersOf(DEMO_KEY));
  expect(one.customersOf(DEMO_KEY)).toHaveLength(62);
  expect(one.changesOf(DEMO_KEY).map(({ action }) => action)).toEqual([
    ...['inserted', 'inserted', 'deleted', 'updated'],
    ...['inserted', 'inserted', 'deleted', 'updated'],
  ]);
  const all = await ask(one, '/2.0/customers?per_page=100');
  expect(all.text).toContain(`[${one.customersOf(DEMO_KEY).join(',')}]`);
});

test('lists change when they are told to, and each change is written down with its time', async () => {
  let nowMs = 1_000;
  const seen: unknown[] = [];
  const simulator = await start({
    now: () => nowMs,
    onChanged: ({ organization, resource, action }) => seen.push([organization, resource, action]),
  });
  simulator.edit(DEMO_KEY, { inserts: 1, deletes: 1, updates: 1 });
  nowMs = 2_000;
  simulator.edit(DEMO_KEY, { inserts: 0, deletes: 1 }, 'invoices');
  simulator.setChange({ everyRequests: 1, inserts: 0, deletes: 1 });
  nowMs = 3_000;
  await ask(simulator, '/2.0/customers');
  simulator.setChange(undefined);
  await ask(simulator, '/2.0/customers');

  const history = simulator.historyOf(DEMO_KEY);
  const textsAt = (ms: number) => [...history.recordsAt(ms).values()];
  expect(textsAt(999)).toHaveLength(60);
  expect(textsAt(3_000).toSorted()).toEqual(simulator.customersOf(DEMO_KEY).toSorted());
  expect(simulator.changesOf(DEMO_KEY).map(({ at, action }) => [at, action])).toEqual([
    [1_000, 'inserted'],
    [1_000, 'deleted'],
    [1_000, 'updated'],
    [3_000, 'deleted'],
  ]);
  expect(history.throughout({ fromMs: 0, toMs: 2_999 }).size).toBe(59);
  expect(seen[3]).toEqual(['Demo Organization', 'invoices', 'deleted']);
  expect(() => simulator.setChange({ everyRequests: 0, inserts: 1, deletes: 1 })).toThrow(
    'change.everyRequests: ',
  );
});

/** Of this process: on a busy machine more time goes by. */
function processorMs(begin: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(begin);
  return (user + system) / 1_000;
}

test('10,000 records change 30,000 times in a moment', async () => {
  const simulator = await start({ customers: 10_000, order: 'by-value' });
  const begin = process.cpuUsage();

  simulator.edit(DEMO_KEY, { inserts: 10_000, deletes: 10_000, updates: 10_000 });

  expect(simulator.historyOf(DEMO_KEY).recordsAt(Date.now()).size).toBe(10_000);
  expect(processorMs(begin)).toBeLessThan(5_000);
});

test.each([
  ['any', [25, 7, 33, 100]],
  ['fixed', [25, 25, 25, 25]],
  ['listed', [25, 10, 20, 50]],
  ['refuse-unlisted', [25, 422, 422, 50]],
] as const)('per_page under the rule %s', async (perPageRule, expected) => {
  const perPageSizes = [10, 20, 50];
  const simulator = await start({ customers: 100, perPageRule, perPageSizes });
  const lengthOf = async (query: string) => {
    const { status, text } = await ask(simulator, `/2.0/customers${query}`);
    return status === 200 ? JSON.parse(text).customers.length : status;
  };

  const last = perPageRule === 'any' || perPageRule === 'fixed' ? 500 : 50;
  const lengths = [];
  for (const query of ['', '?per_page=7', '?per_page=33', `?per_page=${last}`]) {
    lengths.push(await lengthOf(query));
  }
  expect(lengths).toEqual(expected);
});

test('logs connections and requests that were under way at once', async () => {
  const simulator = await start({ latencyMs: 20 });
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });

  await Promise.all(
    [1, 2, 3].map((page) => ask(simulator, `/2.0/customers?page=${page}`, { agent })),
  );
  agent.destroy();

  const { entries } = simulator.log;
  expect(new Set(entries.map(({ connection }) => connection)).size).toBe(2);
  expect(checkLog(entries).maxConcurrent).toBe(2);
});

test('global fetch trusts it after tls.setDefaultCACertificates', async () => {
  const simulator = await start();
  const before = tls.getCACertificates('default');
  tls.setDefaultCACertificates([...before, simulator.caPem]);

  const response = await fetch(`${simulator.url}/2.0/customers`, {
    headers: { 'API-KEY': DEMO_KEY },
  });

  tls.setDefaultCACertificates(before);
  expect(response.status).toBe(200);
  await response.arrayBuffer();
});

test('close ends open connections and may be called again', async () => {
  const simulator = await start({ faults: [{ fault: { kind: 'silence' } }] });
  const pending = ask(simulator, '/2.0/customers').catch((error) => error.code);
  await until('a request', () => simulator.log.entries.length > 0);

  await simulator.close();
  await simulator.close();

  expect(await pending).toBe('ECONNRESET');
  expect(await ask(simulator, '/2.0/customers').catch((error) => error.code)).toBe('ECONNREFUSED');
});

test.each<[SimulatorOptions, string]>([
  [{ customers: -1 }, 'customers: expected a whole number from 0 to 10000000, got -1'],
  [{ perPage: 0 }, 'perPage: '],
  [{ perPageSizes: [10, 0] }, 'perPageSizes[1]: '],
  [{ perPageSizes: [] }, 'perPageSizes: expected at least one'],
  [{ basePath: 'eu/' }, 'basePath: '],
  [{ keyHeader: 'a b' }, 'keyHeader: '],
  [{ limit: { kind: 'token-bucket', ratePerSecond: 0, burst: 1 } }, 'limit.ratePerSecond: '],
  [
    { limit: { kind: 'fixed-window', requests: 1, windowSeconds: Number.NaN } },
    'limit.windowSeconds: ',
  ],
  [{ limit: { kind: 'all', limits: [] } }, 'limit.limits: '],
  [
    { limit: { kind: 'changing', steps: [{ limit: { kind: 'none' }, forSeconds: 0 }] } },
    'limit.steps[0].forSeconds: ',
  ],
  [{ change: { everyRequests: 0, inserts: 1, deletes: 1 } }, 'change.everyRequests: '],
  [
    { organizations: [{ key: 'same-key' }, { key: 'same-key' }] },
    'organizations[1].key: is the same',
  ],
  [{ organizations: [{ key: '' }] }, 'organizations[0].key: expected a key'],
])('fails to start with %j and names the option', async (options, message) => {
  await expect(startSimulator(options)).rejects.toThrow(message);
});

test.each([
  [1, 'options: expected an object'],
  [{ customer: 5 }, 'customer: there is no such setting'],
  [{ customers: '5' }, 'customers: expected a number'],
  [{ pretty: 'no' }, 'pretty: expected true or false'],
  [{ order: 'up' }, 'order: expected one of rising, falling'],
  [{ meta: 'django' }, 'meta: expected one of rails'],
  [{ perPageRule: 'some' }, 'perPageRule: expected one of any'],
  [{ rateLimitHeaders: 'draft-1' }, 'rateLimitHeaders: expected one of none'],
  [{ retryAfter: 'never' }, 'retryAfter: expected one of seconds, date'],
  [{ organizations: {} }, 'organizations: expected a list'],
  [{ organizations: [{ key: 'a', status: 'gone' }] }, 'organizations[0].status: expected one of'],
  [{ organizations: [{}] }, 'organizations[0].key: this setting is missing'],
  [{ change: { everyRequests: 1, inserts: 1 } }, 'change.deletes: this setting is missing'],
  [{ now: 0 }, 'now: expected a function'],
])('fails to start with %j, as JavaScript may have it', async (options, message) => {
  const started = Reflect.apply(startSimulator, undefined, [options]);

  await expect(started).rejects.toThrow(message);
});

test('an option that is undefined has its default, and an edit of another form is refused', async () => {
  const simulator = await start({ ...JSON.parse('{}'), seed: undefined, order: undefined });

  expect(simulator.customersOf(DEMO_KEY)).toHaveLength(60);
  const edit = (given: unknown) => Reflect.apply(simulator.edit, undefined, [DEMO_KEY, given]);
  expect(() => edit({ insert: 1, inserts: 1, deletes: 0 })).toThrow('insert: there is no such');
  expect(() => edit({ deletes: 1 })).toThrow('inserts: this setting is missing');
});

test('fails to start on a port that is taken', async () => {
  const { port } = await start();

  await expect(startSimulator({ port })).rejects.toThrow(
    `port: ${port} is used by another program. Choose another one, or 0 for any free one.`,
  );
});

test('starts with 100,000 customers in a moment', async () => {
  const begin = process.cpuUsage();
  const simulator = await start({ customers: 100_000 });
  const { text } = await ask(simulator, '/2.0/customers?page=1000&per_page=100');

  expect(processorMs(begin)).toBeLessThan(2_000);
  expect(JSON.parse(text).customers).toHaveLength(100);
});
