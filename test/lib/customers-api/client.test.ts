import { expect, test } from '@jest/globals';
import { checkLog } from '../../../infra/local/simulator/check-log.ts';
import {
  AuthenticationError,
  createCustomersClient,
  InvalidKeyError,
  SettingError,
  ThrottledError,
} from '../../../lib/index.ts';
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

test('sends page and per_page exactly once, per_page only when asked for', async () => {
  const { requests, fetch } = recordingFetch();
  const client = createCustomersClient({ ...options, perPage: 50, fetch });

  await client.listPage(3);
  await client.listPage(3, 7);
  await createCustomersClient({ ...options, fetch }).listPage(0);

  expect(requests.map(({ url }) => new URL(url).search)).toEqual([
    '?page=3&per_page=50',
    '?page=3&per_page=7',
    '?page=0',
  ]);
});

test('sends the key under another header when told so', async () => {
  const { requests, fetch } = recordingFetch();

  await createCustomersClient({ ...options, header: 'X-Old-Key', fetch }).listPage(1);

  expect(requests[0]?.headers.get('x-old-key')).toBe(CANARY);
  expect(requests[0]?.headers.has('api-key')).toBe(false);
});

test.each([
  [{ baseUrl: 'http://localhost:8080' }, 'baseUrl', /https, not http/],
  [{ baseUrl: 'api.example.com' }, 'baseUrl', /not an absolute URL/],
  [{ baseUrl: 'https://user:pw@api.example.com' }, 'baseUrl', /user name and password/],
  [{ baseUrl: 'https://api.example.com/?a=1' }, 'baseUrl', /query/],
  [{ baseUrl: 'https://api.example.com/2.0/' }, 'baseUrl', /ends with \/2.0/],
  [{ baseUrl: undefined }, 'baseUrl', /expected text/],
  [{ header: 'API KEY' }, 'header', /header name/],
  [{ perPage: 0 }, 'perPage', /from 1/],
  [{ perPage: 1.5 }, 'perPage', /whole number/],
  [{ firstPage: -1 }, 'firstPage', /from 0/],
  [{ itemsKey: 'a..b' }, 'itemsKey', /joined by dots/],
  [{ metaKeys: { total: 7 } }, 'metaKeys.total', /a path or false/],
  [{ metaKeys: { totals: 'a' } }, 'metaKeys.totals', /no such option/],
  [{ deadlineMs: 0 }, 'deadlineMs', /from 1/],
  [{ deadlineMs: Number.NaN }, 'deadlineMs', /whole number/],
  [{ maxBodyBytes: -1 }, 'maxBodyBytes', /from 1/],
  [{ authenticationStatuses: [200] }, 'authenticationStatuses.0', /from 400/],
  [{ apikey: CANARY }, 'apikey', /no such option/],
  [{ fetch: 'fetch' }, 'fetch', /function/],
])('fails for the option %j, naming it', (wrong, setting, problem) => {
  const make = () => createCustomersClient({ ...options, ...Object(wrong) });

  expect(make).toThrow(SettingError);
  expect(make).toThrow(problem);
  expect(make).toThrow(expect.objectContaining({ setting, code: 'INVALID_SETTING' }));
  expect(make).not.toThrow(CANARY);
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
  ['page', [-1]],
  ['page', [1.5]],
  ['perPage', [1, 0]],
] as const)('fails for a wrong %s', (setting, [page, perPage]) => {
  expect(() => createCustomersClient(options).listPage(page, perPage)).toThrow(
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
    await client.listPage(1);
    nowMs += 9_001;
    const early = await client.listPage(1);
    const write = await client.write({ method: 'DELETE', resource: 'customers/1' });
    nowMs += 999;
    const inTime = await client.listPage(1);

    expect(early).toMatchObject({ kind: 'throttled', retryAfterSeconds: 1 });
    expect(write).toMatchObject({ kind: 'throttled', retryAfterSeconds: 1 });
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
          customers.push(customer);
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

test('waits in the loop as long as maxWaitSeconds allows', async () => {
  const { simulator, client } = await startSimulatedApi(
    { limit: { kind: 'fixed-window', requests: 2, windowSeconds: 1 } },
    { perPage: 50 },
  );
  try {
    expect(await Array.fromAsync(client.customers({ maxWaitSeconds: 30 }))).toEqual(
      simulator.customersOf(CANARY),
    );
    expect(checkLog(simulator.log.entries)).toMatchObject({ earlyRequests: [] });
    expect(checkLog(simulator.log.entries).throttled).toBeGreaterThan(0);
  } finally {
    await simulator.close();
  }
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
    expect(await Array.fromAsync(client.customers())).toEqual([
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

test('ends a request when the caller aborts, before and while it runs', async () => {
  const { simulator, client } = await startSimulatedApi({
    faults: [{ fault: { kind: 'silence' } }],
  });
  try {
    const before = await client.listPage(1, undefined, AbortSignal.abort());
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
  [{ method: 'POST', resource: '../x', body: {} }, 'resource'],
  [{ method: 'POST', resource: 'customers', idempotencyKey: 'a\nb' }, 'idempotencyKey'],
])('fails for a write that cannot be sent (%#), naming the field', async (write, setting) => {
  await expect(createCustomersClient(options).write(Object(write))).rejects.toMatchObject({
    code: 'INVALID_SETTING',
    setting,
  });
});

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
  while (entries.length < count) await new Promise(setImmediate);
}
