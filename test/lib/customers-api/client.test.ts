import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { checkLog } from '../../../infra/simulator/check-log.ts';
import type { Fault } from '../../../infra/simulator/faults.ts';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import {
  AuthenticationError,
  ListError,
  ThrottledError,
} from '../../../lib/customers-api/outcome-error.ts';
import { settingsOf } from '../../../lib/customers-api/settings.ts';
import { newWalk } from '../../../lib/customers-api/walks/new-walk.ts';
import type { WalkEnd } from '../../../lib/customers-api/walks/taken.ts';
import type { Walk } from '../../../lib/customers-api/walks/walker.ts';
import { InvalidKeyError, SettingError } from '../../../lib/errors.ts';
import { until } from '../../until.ts';
import { CANARY, startSimulatedApi } from './simulated-api.ts';

const options = { baseUrl: 'https://api.example.com', key: CANARY };

test.each([
  ['https://api.example.com', 'https://api.example.com/2.0/customers?page=1'],
  ['https://api.example.com/', 'https://api.example.com/2.0/customers?page=1'],
  [
    'https://api.example.com:8443/eu/api',
    'https://api.example.com:8443/eu/api/2.0/customers?page=1',
  ],
  ['https://api.example.com/eu/api//', 'https://api.example.com/eu/api/2.0/customers?page=1'],
])('asks below %s at %s, with the key in the header API-KEY only', async (baseUrl, url) => {
  const { requests, fetch } = recordingFetch();

  await createCustomersClient({ ...options, baseUrl, fetch }).listPage(1);

  const [request] = requests;
  expect(request?.url).toBe(url);
  expect(request?.method).toBe('GET');
  expect(request?.redirect).toBe('manual');
  expect(Object.fromEntries(request?.headers ?? [])).toMatchObject({
    accept: 'application/json',
    'api-key': CANARY,
  });
  expect([...(request?.headers.values() ?? [])].filter((value) => value.includes(CANARY))).toEqual([
    CANARY,
  ]);
});

test('a read that is held back when it is sent again says how long to wait', async () => {
  const throttled = Promise.withResolvers<Response>();
  const { promise: isThrottled } = throttled;
  let sent = 0;
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    if (new Request(input, init).url.endsWith('/slow')) return isThrottled;
    sent++;
    // Once the second try is under way, and before it has left.
    setImmediate(() =>
      throttled.resolve(new Response('{}', { status: 429, headers: { 'Retry-After': '60' } })),
    );
    throw Object.assign(new TypeError('fetch failed'), { code: 'ECONNRESET' });
  };
  const client = createCustomersClient({ ...options, fetch });
  const slow = client.read({ resource: 'slow' });

  expect(await client.read({ resource: 'customers/1' })).toMatchObject({
    kind: 'throttled',
    retryAfterSeconds: 60,
  });
  expect(await slow).toMatchObject({ kind: 'throttled', retryAfterSeconds: 60 });
  expect(sent).toBe(1);
});

/** An API that answers 204 where a page has no records. @param meta Of a page, by whether more follow. */
function apiWith204(count: number, meta: (isMore: boolean) => object): typeof globalThis.fetch {
  return async (...[input, init]) => {
    const query = new URL(new Request(input, init).url).searchParams;
    const perPage = Number(query.get('per_page') ?? 10);
    const from = (Number(query.get('page')) - 1) * perPage;
    const to = Math.min(count, from + perPage);
    if (from < 0) return Response.json({ error: 'page' }, { status: 400 });
    if (from >= count) return new Response(null, { status: 204 });
    const records = Array.from({ length: to - from }, (_, at) => ({ id: from + at + 1 }));
    return Response.json({ deep: { records }, paging: meta(to < count) });
  };
}

test.each([
  ['a short page', 23, () => ({})],
  ['a full page', 20, () => ({})],
  ['a count', 20, () => ({ total: 20 })],
  ['a sign of the end', 23, (more: boolean) => ({ has_more: more })],
  ['an only page', 7, () => ({})],
  ['nothing, as the list is empty', 0, () => ({})],
])('a list ends with a 204 behind %s', async (_, count, meta) => {
  const client = createCustomersClient({
    ...options,
    perPage: 10,
    itemsKey: 'deep.records',
    metaKeys: { total: 'paging.total' },
    fetch: apiWith204(count, meta),
  });
  for (const walk of ['fast', 'verified'] as const) {
    const ids: unknown[] = [];
    for await (const { id } of client.customers({ walk })) ids.push(id);
    expect(ids).toEqual(Array.from({ length: count }, (_each, at) => `${at + 1}`));
  }
});

test('a 204 is a page without records where a total says no more, and never a resource', async () => {
  const noContent = createCustomersClient({ ...options, fetch: apiWith204(0, () => ({})) });
  expect(await noContent.listPage(1)).toMatchObject({
    ...{ kind: 'page', recordCount: 0, ndjson: new Uint8Array(), evidence: { warnings: [] } },
  });
  expect(await noContent.read({ resource: 'customers/1', query: { page: 1 } })).toMatchObject({
    ...{ kind: 'refused', reason: 'not-json' },
  });

  const early = async (...[input, init]: Parameters<typeof globalThis.fetch>) =>
    new Request(input, init).url.includes('page=1')
      ? Response.json({ customers: [{ id: 1 }, { id: 2 }], meta: { total: 9 } })
      : new Response(null, { status: 204 });
  const loop = Array.fromAsync(createCustomersClient({ ...options, fetch: early }).customers());
  await expect(loop).rejects.toMatchObject({ code: 'REFUSED', reason: 'contradiction' });
});

test('sends page and per_page exactly once, per_page only when asked for', async () => {
  const { requests, fetch } = recordingFetch();
  const client = createCustomersClient({ ...options, perPage: 50, fetch });

  await client.listPage(3);
  await client.listPage(3, { perPage: 7 });
  await createCustomersClient({ ...options, fetch }).listPage(0);

  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?page=3&per_page=50',
    '?page=3&per_page=7',
    '?page=0',
  ]);
});

test('reads a list by its own options, and asks with its own parameters', async () => {
  const urls: string[] = [];
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    urls.push(new Request(input, init).url);
    const records = urls.at(-1)?.includes('page=1&') ? [] : [{ number: 7 }];
    return Response.json({ decoy: [{}], page_of: { bills: records }, meta: { total: 9, n: 1 } });
  };
  const client = createCustomersClient({ ...options, perPage: 50, itemsKey: 'decoy', fetch });
  const own = {
    perPage: 20,
    firstPage: 0,
    itemsKey: 'page_of.bills',
    metaKeys: { total: 'meta.n' },
    idKey: 'number',
  };

  const bills = client.list('finance/bills', { 'name[]': 'é &', status: undefined }, own);
  const page = await bills.listPage(3);
  const records = await Array.fromAsync(bills.records());
  await client.listPage(1);

  expect(page).toMatchObject({ records: ['{"number":7}'], ids: ['7'], evidence: { total: 1 } });
  expect(records.map(({ text }) => text)).toEqual(['{"number":7}']);
  expect(urls.map((url) => url.replace(/.*2.0/, ''))).toEqual([
    '/finance/bills?name%5B%5D=%C3%A9+%26&page=3&per_page=20',
    '/finance/bills?name%5B%5D=%C3%A9+%26&page=0&per_page=20',
    '/finance/bills?name%5B%5D=%C3%A9+%26&page=1&per_page=20',
    '/customers?page=1&per_page=50',
  ]);
});

test.each([
  ['itemsKey', { itemsKey: '.' }],
  ['perPage', { perPage: 0 }],
  ['metaKeys.sum', JSON.parse('{ "metaKeys": { "sum": "n" } }')],
  ['query', JSON.parse('{ "query": {} }')],
])('fails naming a wrong option %s of a list', (setting, own) => {
  expect(() => createCustomersClient(options).list('invoices', {}, own)).toThrow(
    expect.objectContaining({ name: 'SettingError', setting }),
  );
});

test('sends the key under another header when told so', async () => {
  const { requests, fetch } = recordingFetch();

  await createCustomersClient({ ...options, header: 'X-Old-Key', fetch }).listPage(1);

  expect(requests[0]?.headers.get('x-old-key')).toBe(CANARY);
  expect(requests[0]?.headers.has('api-key')).toBe(false);
});

test.each([
  [{ baseUrl: 'http://localhost:8080' }, 'baseUrl', /must be https/],
  [{ baseUrl: 'api.example.com' }, 'baseUrl', /not an absolute URL/],
  [{ baseUrl: 'https://user:pw@api.example.com' }, 'baseUrl', /user name and password/],
  [{ baseUrl: 'https://api.example.com/?a=1' }, 'baseUrl', /query/],
  [{ baseUrl: 'https://api.example.com/2.0/' }, 'baseUrl', /ends with \/2.0/],
  [{ baseUrl: 'https://api.example.com:6000' }, 'baseUrl', /sends nothing to port 6000/],
  [{ baseUrl: 'https://api.example.com//v1' }, 'baseUrl', /empty segment/],
  [{ baseUrl: 'https://api.example.com//evil.example/eu' }, 'baseUrl', /empty segment/],
  [{ baseUrl: `${CANARY}:x` }, 'baseUrl', /holds the key/],
  [{ baseUrl: `https://a.example/${encodeURIComponent(CANARY)}` }, 'baseUrl', /holds the key/],
  [{ key: 'plain-key-4711', header: 'X-Plain-Key-4711' }, 'header', /holds the key/],
  [{ header: CANARY }, 'header', /header name/],
  [{ header: 'Content-Length' }, 'header', /not one of HTTP/],
  [{ header: 'User-Agent' }, 'header', /not one of HTTP/],
  [{ header: 'accept-encoding' }, 'header', /not one of HTTP/],
  [{ header: 'Sec-Fetch-Mode' }, 'header', /not one of HTTP/],
  [{ metaKeys: CANARY }, 'metaKeys', /expected/],
  [{ authenticationStatuses: CANARY }, 'authenticationStatuses', /expected/],
  [{ authenticationStatuses: [407] }, 'authenticationStatuses[0]', /407, which fetch hides/],
  [{ idKey: { CANARY } }, 'idKey', /expected/],
  [{ baseUrl: undefined }, 'baseUrl', /setting is missing/],
  [{ baseUrl: 7 }, 'baseUrl', /expected text/],
  [{ header: 7 }, 'header', /expected text/],
  [{ metaKeys: 'total' }, 'metaKeys', /expected an object/],
  [{ header: 'API KEY' }, 'header', /header name/],
  [{ perPage: 0 }, 'perPage', /from 1/],
  [{ perPage: 1.5 }, 'perPage', /whole number/],
  [{ firstPage: -1 }, 'firstPage', /from 0/],
  [{ itemsKey: 'a..b' }, 'itemsKey', /joined by dots/],
  [{ metaKeys: { total: 7 } }, 'metaKeys.total', /a path or false/],
  [{ metaKeys: { totals: 'a' } }, 'metaKeys.totals', /no such setting/],
  [{ deadlineMs: 0 }, 'deadlineMs', /from 1/],
  [{ deadlineMs: Number.NaN }, 'deadlineMs', /whole number/],
  [{ maxBodyBytes: -1 }, 'maxBodyBytes', /from 1/],
  [{ authenticationStatuses: [200] }, 'authenticationStatuses[0]', /from 400/],
  [{ apikey: CANARY }, 'apikey', /no such setting/],
  [{ fetch: 'fetch' }, 'fetch', /function/],
])('fails for the option %j, naming it', (wrong, setting, problem) => {
  const make = () => createCustomersClient({ ...options, ...Object(wrong) });

  expect(make).toThrow(SettingError);
  expect(make).toThrow(problem);
  expect(make).toThrow(expect.objectContaining({ setting, code: 'INVALID_SETTING' }));
  expect(make).not.toThrow(CANARY);
});

test.each([
  [undefined, 'options: expected an object'],
  [{ baseUrl: options.baseUrl }, 'key: this setting is missing'],
])('fails without options that it needs: %j', (given, message) => {
  expect(() => settingsOf(given)).toThrow(message);
});

test('fails for a key that no header can carry', () => {
  expect(() => createCustomersClient({ ...options, key: `${CANARY}\n` })).toThrow(InvalidKeyError);
});

test.each([
  '',
  '/customers',
  'customers/',
  'a//b',
  '..',
  '../1.0/customers',
  'a/../../b',
  '%2e%2e/x',
  'customers/..%2F..%2Fadmin',
  'customers/a%5c..',
  'customers/..;/admin',
  'a?b=c',
  'a#b',
  'https://evil.example',
  'a\\b',
  'a b',
  '%zz',
])('fails for the resource %j, which would leave the API', (resource) => {
  expect(() => createCustomersClient(options).list(resource)).toThrow(/^resource: /);
});

test.each([
  ['page', [-1, {}]],
  ['page', [1.5, {}]],

  ['perPage', [1, { perPage: 0 }]],
  ['schema', [1, Object({ schema: 7 })]],
  ['signal', [1, Object({ signal: 7 })]],
  ['pageSize', [1, Object({ pageSize: 7 })]],
  ['options', [1, JSON.parse('7')]],
] as const)('fails for a wrong %s', async (setting, [page, given]) => {
  await expect(createCustomersClient(options).listPage(page, given)).rejects.toThrow(
    new RegExp(`^${setting}: `),
  );
});

test('makes no request while a Retry-After runs, and tells the rest of it', async () => {
  let nowMs = 1_000_000;
  const { simulator, client } = await startSimulatedApi(
    {
      faults: [
        { fault: { kind: 'status', status: 429, headers: { 'Retry-After': '10' } }, times: 1 },
      ],
    },
    { now: () => nowMs },
  );
  try {
    const throttled = await client.listPage(1);
    nowMs += 9_001;
    const early = await client.listPage(1);
    const write = await client.write({ method: 'DELETE', resource: 'customers/1' });
    nowMs += 999;
    const inTime = await client.listPage(1);

    expect(throttled).not.toHaveProperty('isHeldBack');
    const heldBack = { kind: 'throttled', retryAfterSeconds: 1, isHeldBack: true };
    expect(early).toMatchObject(heldBack);
    expect(write).toMatchObject(heldBack);
    expect(inTime.kind).toBe('page');
    expect(simulator.log.entries.length).toBe(2);
  } finally {
    await simulator.close();
  }
});

test('makes no request after the key was rejected', async () => {
  const { simulator, client } = await startSimulatedApi({
    organizations: [{ key: CANARY, status: 'revoked' }],
  });
  try {
    await expect(Array.fromAsync(client.customers())).rejects.toThrow(AuthenticationError);
    await expect(client.listPage(2)).resolves.toMatchObject({ kind: 'authentication-failure' });
    await expect(client.read({ resource: 'customers/1' })).resolves.toMatchObject({
      kind: 'authentication-failure',
    });
    await expect(
      client.write({ method: 'POST', resource: 'customers', body: {} }),
    ).resolves.toMatchObject({
      kind: 'authentication-failure',
    });

    expect(simulator.log.entries.length).toBe(1);
  } finally {
    await simulator.close();
  }
});

test('another origin sees no request when the API redirects to it', async () => {
  const other = await startSimulatedApi();
  const location = `${other.simulator.url}/2.0/customers`;
  const { simulator, client } = await startSimulatedApi({
    faults: [301, 302, 303, 307, 308].map((status) => ({
      fault: { kind: 'status', status, headers: { Location: location } },
      times: 1,
    })),
  });
  try {
    for (let page = 1; page <= 5; page++) {
      expect(await client.listPage(page)).toMatchObject({ kind: 'refused', reason: 'redirect' });
    }
    await client.write({ method: 'POST', resource: 'customers', body: {} });

    expect(other.simulator.log.entries).toEqual([]);
  } finally {
    await simulator.close();
    await other.simulator.close();
  }
});

test('throws a ThrottledError from which the loop goes on where it stopped', async () => {
  let nowMs = 1_000_000;
  const { simulator, client } = await startSimulatedApi(
    { now: () => nowMs, limit: { kind: 'fixed-window', requests: 2, windowSeconds: 60 } },
    { now: () => nowMs, perPage: 50 },
  );
  try {
    const customers: string[] = [];
    let resume: ThrottledError['walk'] | undefined;
    for (let loops = 0; loops < 3; loops++) {
      try {
        for await (const customer of client.customers(resume === undefined ? {} : { resume }))
          customers.push(customer.text);
      } catch (error) {
        if (!(error instanceof ThrottledError)) throw error;
        resume = error.walk;
        nowMs += error.retryAfterSeconds * 1000;
      }
    }

    expect(customers).toEqual(simulator.customersOf(CANARY));
    expect(checkLog(simulator.log.entries)).toMatchObject({ throttled: 2, earlyRequests: [] });
  } finally {
    await simulator.close();
  }
});

test('waits in the loop as long as maxWaitSeconds allows for each page', async () => {
  const { simulator, client } = await startSimulatedApi(
    { limit: { kind: 'fixed-window', requests: 2, windowSeconds: 1 } },
    { perPage: 50 },
  );
  try {
    expect(
      await Array.fromAsync(client.customers({ maxWaitSeconds: 1 }), ({ text }) => text),
    ).toEqual(simulator.customersOf(CANARY));
    expect(checkLog(simulator.log.entries)).toMatchObject({ earlyRequests: [] });
    expect(checkLog(simulator.log.entries).throttled).toBeGreaterThan(1);
  } finally {
    await simulator.close();
  }
});

test('guesses longer and longer while the API throttles and names no wait', async () => {
  let nowMs = 0;
  let status = 429;
  const client = createCustomersClient({
    ...options,
    fetch: async () => new Response('{}', { status }),
    now: () => nowMs,
    random: () => 1 - Number.EPSILON,
  });
  const nextWait = async () => {
    const outcome = await client.listPage(1);
    nowMs += 60_000;
    return 'retryAfterSeconds' in outcome ? outcome.retryAfterSeconds : undefined;
  };

  expect([await nextWait(), await nextWait(), await nextWait()]).toEqual([2, 4, 8]);
  status = 500;
  await nextWait();
  status = 429;
  expect(await nextWait()).toBe(2);
});

test('waits in the loop no longer for one page than maxWaitSeconds, however often it is throttled', async () => {
  let requests = 0;
  const client = createCustomersClient({
    baseUrl: 'https://api.example.com',
    key: CANARY,
    fetch: async () => {
      requests++;
      return new Response(null, { status: 429, headers: { 'Retry-After': '1' } });
    },
  });

  await expect(Array.fromAsync(client.customers({ maxWaitSeconds: 1 }))).rejects.toMatchObject({
    retryAfterSeconds: 1,
  });
  expect(requests).toBe(2);
});

test('lists and reads any other resource', async () => {
  const { simulator, client } = await startSimulatedApi({ customers: 120 });
  try {
    const invoices = await Array.fromAsync(client.list('invoices').records());
    const [first] = simulator.customersOf(CANARY);
    const id = /"id":(\d+)/.exec(first ?? '')?.[1];

    expect(invoices.length).toBe(12);
    expect(await client.read({ resource: `customers/${id}` })).toMatchObject({
      kind: 'resource',
      bodyText: first,
    });
    expect(await client.read({ resource: 'customers/1' })).toMatchObject({
      kind: 'refused',
      status: 404,
    });
  } finally {
    await simulator.close();
  }
});

test('leaves out a record that the page before held too, since the list moved on while it was read', async () => {
  const bodies = [
    { customers: [{ id: 1 }, { id: 2 }] },
    { customers: [{ id: 2 }, { id: 3 }] },
    { customers: [{ id: 3, name: 'changed' }, { name: 'no id' }] },
    { customers: [{ name: 'no id' }] },
    { customers: [] },
  ];
  const { simulator, client } = await startSimulatedApi({
    faults: bodies.map((body) => ({ fault: { kind: 'status', status: 200, body }, times: 1 })),
  });
  try {
    expect(await Array.fromAsync(client.customers(), ({ text }) => text)).toEqual([
      '{"id":1}',
      '{"id":2}',
      '{"id":3}',
      '{"id":3,"name":"changed"}',
      '{"name":"no id"}',
      '{"name":"no id"}',
    ]);
  } finally {
    await simulator.close();
  }
});

test.each(['fast', 'verified'] as const)(
  'a %s walk gives what came and then fails, when the list has lost a record that it counted',
  async (walk) => {
    const bodies = [
      { customers: [{ id: 1 }, { id: 2 }], meta: { total: 4 } },
      { customers: [{ id: 3 }], meta: { total: 4 } },
    ];
    const page = (body: object) => ({ kind: 'status', status: 200, body }) as const;
    const { simulator, client } = await startSimulatedApi({
      faults: [
        ...bodies.map((body) => ({ fault: page(body), times: 1 })),
        { fault: page({ customers: [], meta: { total: 4 } }) },
      ],
    });
    const ids: unknown[] = [];
    const all = async () => {
      for await (const { text } of client.customers({ walk })) ids.push(text);
    };
    try {
      const error = await all().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ name: 'RefusedError', reason: 'contradiction' });
      expect(error).toMatchObject({ walk: { kind: walk } });
      expect(String(error)).toMatch(/The list changed while it was read: .*total is 4\. Read it/);
      expect(ids).toEqual(['{"id":1}', '{"id":2}', '{"id":3}']);
    } finally {
      await simulator.close();
    }
  },
);

test('ends a request when the caller aborts, before and while it runs', async () => {
  const { simulator, client } = await startSimulatedApi({
    faults: [{ fault: { kind: 'silence' } }],
  });
  try {
    const before = await client.listPage(1, { signal: AbortSignal.abort() });
    const write = { method: 'POST', resource: 'customers', body: {} } as const;
    const neverSent = await client.write({ ...write, signal: AbortSignal.abort() });
    const controller = new AbortController();
    const pending = client.write({ ...write, signal: controller.signal });
    await untilLogged(simulator.log.entries, 1);
    controller.abort();

    expect(before).toMatchObject({ kind: 'unavailable', reason: 'aborted' });
    expect(neverSent).toMatchObject({ kind: 'unclear', reason: 'aborted', sent: false });
    expect(await pending).toMatchObject({ kind: 'unclear', reason: 'aborted', sent: true });
    expect(simulator.log.entries.length).toBe(1);
  } finally {
    await simulator.close();
  }
});

test.each([
  [{ method: 'GET', resource: 'customers' }, 'method'],
  [{ method: 'POST', resource: 'customers', body: 1n }, 'body'],
  [{ method: 'POST', resource: 'customers', body: () => 1 }, 'body'],
  [{ method: 'POST', resource: 'customers', body: { a: [Number.NaN] } }, 'body'],
  [{ method: 'POST', resource: 'customers', body: Number.NEGATIVE_INFINITY }, 'body'],
  [{ method: 'POST', resource: 'customers', bodyText: '{"a":1' }, 'bodyText'],
  [{ method: 'POST', resource: 'customers', bodyText: '"\ud800"' }, 'bodyText'],
  [{ method: 'POST', resource: 'customers', bodyText: '{}', body: {} }, 'bodyText'],
  [{ method: 'POST', resource: '../x', body: {} }, 'resource'],
  [{ method: 'POST', resource: 'customers', idempotencyKey: 'a\nb' }, 'idempotencyKey'],
  // A repeat of it would not be safe, although the caller thinks so.
  [{ method: 'POST', resource: 'customers', idempotenceKey: 'a' }, 'idempotenceKey'],
  [{ resource: 'customers' }, 'method'],
  [{ method: 'POST', resource: 'customers', signal: {} }, 'signal'],
])('fails for a write that cannot be sent (%#), naming the field', async (write, setting) => {
  await expect(createCustomersClient(options).write(Object(write))).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    setting,
  });
});

test.each([
  [{}, 'resource'],
  [{ resource: 'customers', querry: { name: 'x' } }, 'querry'],
  [{ resource: 'customers', query: { name: {} } }, 'query.name'],
  [{ resource: 'customers', query: { constructor: {} } }, 'query.constructor'],
  // The digits that were meant are gone.
  [{ resource: 'customers', query: { id: 2 ** 53 } }, 'query.id'],
  [{ resource: 'customers', signal: 7 }, 'signal'],
])('fails for the read %j, naming the field', async (read, setting) => {
  await expect(createCustomersClient(options).read(Object(read))).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    setting,
  });
});

test.each([
  [{ status: {} }, 'query.status'],
  [{ id: 2 ** 53 }, 'query.id'],
  [{ page: '3' }, 'query.page'],
])('fails for a list of what %j selects, naming the parameter', (query, setting) => {
  const list = () => createCustomersClient(options).list('invoices', Object(query));

  expect(list).toThrow(expect.objectContaining({ code: 'INVALID_SETTING', setting }));
});

test('sends parameters as the text that was written, but those that are undefined', async () => {
  const { simulator, client } = await startSimulatedApi();
  try {
    const query = { status: 'all', paid: true, depth: 2, since: undefined };
    await client.list('customers', query).listPage(1);
    await client.read({ resource: 'customers', query });

    expect(simulator.log.entries.map(({ url }) => url)).toEqual([
      '/2.0/customers?status=all&paid=true&depth=2&page=1',
      '/2.0/customers?status=all&paid=true&depth=2',
    ]);
  } finally {
    await simulator.close();
  }
});

test('sends a JSON text as it is', async () => {
  const { simulator, client } = await startSimulatedApi();
  try {
    const bodyText = '{ "id":12345678901234567890, "n":[1.0,-0,1e-400],"n":"\\u00e9 \u{1f600}" }';
    await client.write({ method: 'PUT', resource: 'customers/9007199254740993', bodyText });

    expect(simulator.log.entries).toMatchObject([
      { url: '/2.0/customers/9007199254740993', body: bodyText },
    ]);
  } finally {
    await simulator.close();
  }
});

test.each([200, 400])(
  'a write that was sent is unclear, and does not throw, where its answer (%i) cannot be read',
  async (status) => {
    const fetch: typeof globalThis.fetch = async () => {
      const answer = new Response('{}', { status });
      const get = (name: string) => {
        if (name === 'x-request-id') throw new RangeError('canary');
        return null;
      };
      Object.defineProperty(answer.headers, 'get', { value: get });
      return answer;
    };
    const client = createCustomersClient({ ...options, fetch });

    expect(await client.write({ method: 'POST', resource: 'customers', body: {} })).toMatchObject({
      kind: 'unclear',
      sent: true,
      message: expect.not.stringContaining('canary'),
    });
  },
);

test('sends the same Idempotency-Key on every repeat, and the write takes effect once', async () => {
  const { simulator, client } = await startSimulatedApi({
    faults: [{ fault: { kind: 'lose-answer' }, times: 1 }],
  });
  try {
    const write = {
      method: 'POST',
      resource: 'customers',
      body: { name: 'Ada' },
      idempotencyKey: 'w-1',
    } as const;

    expect(await client.write(write)).toMatchObject({ kind: 'unclear' });
    expect(await client.write(write)).toMatchObject({ kind: 'done', status: 201 });

    expect(simulator.log.entries.map(({ idempotencyKey }) => idempotencyKey)).toEqual([
      'w-1',
      'w-1',
    ]);
    expect(checkLog(simulator.log.entries).doubleEffects).toEqual([]);
    expect(simulator.customersOf(CANARY).length).toBe(251);
  } finally {
    await simulator.close();
  }
});

function recordingFetch() {
  const requests: Request[] = [];
  const fetch: typeof globalThis.fetch = async (input, init) => {
    requests.push(new Request(input, init));
    return Response.json({ customers: [] });
  };
  return { requests, fetch };
}

async function untilLogged(entries: readonly unknown[], count: number): Promise<void> {
  await until(`request ${count}`, () => entries.length >= count, { everyMs: 0 });
}

test('does not show what stands in the place of the options', () => {
  expect(() => createCustomersClient(Object(CANARY))).toThrow(SettingError);
  expect(() => createCustomersClient(JSON.parse(JSON.stringify(CANARY)))).not.toThrow(CANARY);
});

test('knows of a throttle before the body of its answer is there', async () => {
  const { first, second, requests } = throttleWithoutEnd();

  expect(await second).toMatchObject({ kind: 'throttled' });
  expect(await first).toMatchObject({ kind: 'throttled', retryAfterSeconds: 30 });
  expect(requests()).toBe(1);
});

// At the same time: a connection that nothing was sent on is closed after some seconds.
test('lets no request leave whose connection is made while another one is throttled or its key rejected', async () => {
  await Promise.all([
    expectNoneLeaves('throttled', {
      kind: 'status',
      status: 429,
      headers: { 'Retry-After': '30' },
    }),
    expectNoneLeaves('authentication-failure', { kind: 'status', status: 401 }),
  ]);
});

async function expectNoneLeaves(kind: string, fault: Fault['fault']): Promise<void> {
  const { simulator } = await startSimulatedApi({ faults: [{ fault }] });
  const slow = await startSlowConnections(Number(new URL(simulator.url).port));
  try {
    const client = createCustomersClient({ baseUrl: slow.url, key: CANARY });
    const first = client.listPage(1);
    await slow.waiting(1);
    const late = [
      client.listPage(2),
      client.read({ resource: 'customers/1' }),
      client.write({ method: 'POST', resource: 'customers', body: {} }),
    ];
    await slow.waiting(1 + late.length);
    void slow.connect(0, 1);
    expect(await first).toMatchObject({ kind });
    const closedAgain = slow.connect(1);

    expect(await Promise.all(late)).toMatchObject(late.map(() => ({ kind })));
    expect(simulator.log.entries.length).toBe(1);
    await closedAgain;
    expect(simulator.log.entries.length).toBe(1);
  } finally {
    slow.close();
    await simulator.close();
  }
}

test.each([
  ['Retry-After', { 'Retry-After': '30' }, 30],
  [
    'the end of a window of which something is left',
    { 'X-RateLimit-Remaining': '5', 'X-RateLimit-Reset': '30' },
    undefined,
  ],
])('a page asks to wait by %s: %j', async (_title, headers, retryAfterSeconds) => {
  const fetch = async () => Response.json({ customers: [] }, { headers });
  const page = await createCustomersClient({ ...options, fetch }).listPage(1);
  expect(page).toMatchObject({ kind: 'page' });
  expect('retryAfterSeconds' in page ? page.retryAfterSeconds : undefined).toBe(retryAfterSeconds);
});

test('shows no key, however short it is', async () => {
  const charset = { 'Content-Type': 'application/json; charset=k3y', 'X-Request-Id': 'of-k3y' };
  const answers = [
    new Response('{"customers":["\u00e4"]}', { headers: charset }),
    new Response('{"error":{"code":"k3y"}}', { status: 404, headers: charset }),
  ];
  for (const answer of answers) {
    const client = createCustomersClient({ ...options, key: 'k3y', fetch: async () => answer });
    const outcome = await client.listPage(1);
    expect(outcome.kind).toBe('refused');
    expect(JSON.stringify(outcome)).not.toContain('k3y');
  }
});

test('ends a request whose fetch does not listen to its signal', async () => {
  const client = createCustomersClient({
    ...options,
    deadlineMs: 20,
    fetch: () => new Promise(() => {}),
  });

  expect(await client.listPage(1)).toMatchObject({ kind: 'unavailable', reason: 'timeout' });
});

test('asks the gate again before it repeats a request whose connection broke', async () => {
  const pages: string[] = [];
  const throttled = Promise.withResolvers<void>();
  const fetch: typeof globalThis.fetch = async (input) => {
    const page = new URL(new Request(input).url).searchParams.get('page') ?? '';
    pages.push(page);
    if (page === '2') return new Response(null, { status: 429, headers: { 'Retry-After': '30' } });
    await throttled.promise;
    throw Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } });
  };
  const client = createCustomersClient({ ...options, fetch });

  const broken = client.listPage(1);
  await client.listPage(2);
  throttled.resolve();

  expect(await broken).toMatchObject({ kind: 'throttled' });
  expect(pages).toEqual(['1', '2']);
});

test('gives each customer once by a verified walk, though the list loses customers meanwhile', async () => {
  const { simulator, client } = await startSimulatedApi(
    { customers: 300, change: { everyRequests: 1, inserts: 0, deletes: 2, updates: 0 } },
    { perPage: 50 },
  );
  const ends: WalkEnd[] = [];
  const onEnd = (end: WalkEnd) => void ends.push(end);
  const verified = await Array.fromAsync(client.customers({ walk: 'verified', onEnd }));
  const ids = new Set(verified.map(({ id }) => id));
  // Nothing was added, so these were there all the time.
  const kept = simulator.customersOf(CANARY).map((text) => /"id":(\d+)/.exec(text)?.[1]);
  await simulator.close();

  expect(ids.size).toBe(verified.length);
  expect(kept.filter((id) => !ids.has(id))).toEqual([]);
  expect(ends).toMatchObject([{ proof: { by: 'chain', order: 'rising', open: [] } }]);
});

test.each([[false], [true]])(
  'asks for one page more where a verified walk finds a gap, and none twice unless it is resumed there (%s)',
  async (isThrottled) => {
    let ids = Array.from({ length: 300 }, (_, at) => at + 1);
    const asked: string[] = [];
    const fetch: typeof globalThis.fetch = async (input) => {
      const { searchParams } = new URL(new Request(input).url);
      const size = Number(searchParams.get('per_page'));
      const start = (Number(searchParams.get('page')) - 1) * size;
      asked.push(`${start} ${size}`);
      if (isThrottled && asked.length === 3) {
        return new Response(null, { status: 429, headers: { 'Retry-After': '30' } });
      }
      const customers = ids.slice(start, start + size).map((id) => ({ id }));
      const body = { customers, meta: { total: ids.length } };
      // The second page begins 6 records after the end of the first one then.
      if (asked.length === 1) ids = ids.slice(8);
      return Response.json(body);
    };
    const seen = new Set<string | undefined>();
    let walk: Walk | undefined;
    for (let loops = 0; loops < 2; loops++) {
      // Another one for each loop, which knows of no wait.
      const client = createCustomersClient({ ...options, perPage: 50, fetch });
      try {
        for await (const { id } of client.customers({ walk: 'verified', resume: walk }))
          seen.add(id);
        break;
      } catch (error) {
        walk = error instanceof ListError ? error.walk : undefined;
      }
    }

    expect([...seen].map(Number)).toEqual(expect.arrayContaining(ids));
    // The first page is always read again at the end. The throttled page in front and the held one are too.
    expect(asked.length - new Set(asked).size).toBe(isThrottled ? 3 : 1);
  },
);

test('fails to resume under another perPage, which would lose and double records', async () => {
  const walk = newWalk({ walk: 'fast', firstPage: 1, perPage: 100 });
  const client = createCustomersClient({ ...options, perPage: 50 });

  await expect(Array.fromAsync(client.customers({ resume: walk }))).rejects.toThrow(
    /^resume: .*perPage 100/,
  );
});

test.each([
  [{ maxWaitSeconds: '60' }, 'maxWaitSeconds'],
  [{ maxWaitSeconds: Number.NaN }, 'maxWaitSeconds'],
  [{ signal: {} }, 'signal'],
  [{ resume: {} }, 'resume'],
  [{ walk: 'slow' }, 'walk'],
  [{ maxPasses: 1 }, 'maxPasses'],
  [{ maxWaitSecond: 60 }, 'maxWaitSecond'],
])('fails for the loop option %j, naming it', async (wrong, setting) => {
  const loop = Array.fromAsync(createCustomersClient(options).customers(Object(wrong)));

  await expect(loop).rejects.toMatchObject({ code: 'INVALID_SETTING', setting });
});

test('throws with the walk when the caller ends a wait', async () => {
  const { simulator, client } = await startSimulatedApi({
    faults: [{ fault: { kind: 'status', status: 429, headers: { 'Retry-After': '30' } } }],
  });
  try {
    const controller = new AbortController();
    const loop = Array.fromAsync(
      client.customers({ maxWaitSeconds: 60, signal: controller.signal }),
    );
    await untilAnswered(simulator.log.entries);
    const endedAtMs = performance.now();
    controller.abort();

    await expect(loop).rejects.toMatchObject({
      code: 'UNAVAILABLE',
      reason: 'aborted',
      walk: { list: { nextPage: 1 } },
    });
    // Long before the wait is over.
    expect(performance.now() - endedAtMs).toBeLessThan(15_000);
  } finally {
    await simulator.close();
  }
});

test('tells status, code and request id of what ended a loop', async () => {
  const { simulator, client } = await startSimulatedApi({
    faults: [{ fault: { kind: 'status', status: 422, body: { error: { code: 'bad_filter' } } } }],
  });
  try {
    await expect(Array.fromAsync(client.customers())).rejects.toMatchObject({
      name: 'RefusedError',
      status: 422,
      apiCode: 'bad_filter',
      requestId: 'simulator-1',
    });
  } finally {
    await simulator.close();
  }
});

/** Leads to a port of this machine, over connections that are made only when they are asked for. */
async function startSlowConnections(port: number) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => sockets.push(socket));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    url: `https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    /** Resolves when so many wait. */
    waiting: async (count: number) => {
      await until(`connection ${count}`, () => sockets.length >= count, { everyMs: 0 });
    },
    /** Makes those from one index to before another. Resolves when they are closed again. */
    connect: async (from: number, to?: number) => {
      const made = sockets.slice(from, to).map((socket) => {
        const onward = connect(port, '127.0.0.1').on('error', () => socket.destroy());
        socket.on('error', () => onward.destroy()).pipe(onward);
        onward.pipe(socket);
        return once(socket, 'close');
      });
      await Promise.all(made);
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

/** A 429 whose body never ends, and a second request while it is being read. */
function throttleWithoutEnd() {
  let requests = 0;
  const fetch: typeof globalThis.fetch = async () => {
    requests++;
    const body = new ReadableStream({ start: (stream) => stream.enqueue(Buffer.from('{')) });
    return new Response(body, { status: 429, headers: { 'Retry-After': '30' } });
  };
  const client = createCustomersClient({ ...options, deadlineMs: 100, fetch });
  const first = client.listPage(1);
  const second = new Promise<void>((resolve) => setImmediate(resolve)).then(() =>
    client.listPage(2),
  );
  return { first, second, requests: () => requests };
}

async function untilAnswered(entries: readonly { readonly answeredAt?: number }[]): Promise<void> {
  await until('an answer', () => entries[0]?.answeredAt, { everyMs: 0 });
  await new Promise(setImmediate);
}
