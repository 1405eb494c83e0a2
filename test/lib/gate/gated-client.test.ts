import { expect, test } from '@jest/globals';
import { createConnections, withClient } from '../../../functions/aws/connections.ts';
import { MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import {
  connectionListsOf,
  type GivenConnectionLists,
} from '../../../lib/exports/connection-lists.ts';
import type { ConnectionOptions } from '../../../lib/gate/admitted-connection.ts';
import {
  type BoundClient,
  createGatedClient,
  type LivePageRequest,
} from '../../../lib/gate/gated-client.ts';
import { amid } from '../../../lib/gate/organization-sample.ts';
import { LONGEST_CALL_MS } from '../../../lib/gate/record-in-gate.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';

const NOW_MS = Date.UTC(2026, 0, 1);

interface Sent {
  readonly url: string;
  readonly key: string | null;
}

interface Surroundings {
  readonly gateFailures?: number;
  readonly remainingMs?: number;
  readonly lists?: GivenConnectionLists['lists'];
  readonly requestsPerSecond?: number;
  readonly hasPlaces?: boolean;
  readonly boundTo?: string;
  /** What happens during each wait. */
  readonly whileAsleep?: () => void;
}

/** A client of connection `demo` with the API in memory; `answer` tells by key what the API says. */
function clientWith(
  answer: (sent: Sent) => Response,
  {
    gateFailures = 0,
    remainingMs = 24_000,
    lists: own = {},
    whileAsleep,
    ...places
  }: Surroundings = {},
) {
  const gates = new MemoryGates();
  const lists = connectionListsOf({ lists: own }, {});
  const sent: Sent[] = [];
  const gateErrors: unknown[] = [];
  const untold: number[] = [];
  const secret = { version: 'v1', cached: 'v1', whileRead: () => {} };
  let nowMs = NOW_MS;
  let failuresLeft = gateFailures;
  const slept: number[] = [];
  /** How often it looked at the gate, and what happens after each look. */
  const looks = { count: 0, after: [] as (() => void)[] };
  const tell = <T>(told: () => T): T => {
    if (failuresLeft-- > 0) throw new Error('down');
    return told();
  };
  const fetch = async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
    const request = new Request(input, init);
    const seen = { url: request.url, key: request.headers.get('API-KEY') };
    sent.push(seen);
    return answer(seen);
  };
  const connections = createConnections(
    {
      keyStore: {
        read: async (_connection, freshness) => {
          if (freshness === 'fresh') secret.cached = secret.version;
          secret.whileRead();
          const keyVersion = secret.cached;
          if (keyVersion === '')
            return { kind: 'no-key', reason: 'missing', message: 'No secret.' };
          return { kind: 'key', key: ApiKey.from(`key-of-${keyVersion}`), keyVersion };
        },
      },
      listsOf: () => lists,
      apiSettingsOf: () => ({ baseUrl: 'https://api.example.com', fetch, now: () => nowMs }),
    },
    withClient,
  );
  let tokens = 0;
  const options: ConnectionOptions = {
    lists,
    connection: 'demo',
    connections,
    gates: {
      read: async (connection) => {
        looks.count++;
        const gate = gates.read(connection);
        looks.after.shift()?.();
        return gate;
      },
      blockUntil: async (...told) => tell(() => gates.blockUntil(...told)),
      changePlaces: async (...told) => tell(() => gates.changePlaces(...told)),
      storePace: async (...told) => gates.storePace(...told),
      storeSample: async (...told) => gates.storeSample(...told),
      replaceOrganization: async (...told) => gates.replaceOrganization(...told),
      haltKeyVersion: async (...told) => {
        tell(() => gates.haltKeyVersion(...told));
      },
    },
    clock: {
      now: () => nowMs,
      sleep: async (ms) => {
        slept.push(ms);
        nowMs += ms;
        whileAsleep?.();
      },
    },
    random: { fraction: () => 0.5, token: () => `token-${tokens++}` },
    recordMs: () => NOW_MS + remainingMs - nowMs,
    ...places,
    onGateError: (error) => gateErrors.push(error),
    onWaitUntold: (untilMs) => untold.push(untilMs),
  };
  const client: BoundClient = createGatedClient(options);
  const pass = (seconds: number) => {
    nowMs += seconds * 1000;
  };
  return { client, gates, sent, secret, gateErrors, untold, slept, pass, looks };
}

const ok = () => Response.json({ customers: CUSTOMERS, meta: { total: CUSTOMERS.length } });
const CUSTOMERS = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }];
const throttled = () => new Response('{}', { status: 429, headers: { 'Retry-After': '30' } });
const rejected = () => new Response('{}', { status: 401 });

test.each([
  ['listPage', (client: ReturnType<typeof clientWith>['client']) => client.listPage({ page: 1 })],
  ['read', (client: ReturnType<typeof clientWith>['client']) => client.read({ resource: 'a/1' })],
  [
    'write',
    (client: ReturnType<typeof clientWith>['client']) =>
      client.write({ method: 'PUT', resource: 'a/1', body: {} }),
  ],
])('%s makes no request while the connection is blocked, and says how long', async (_name, ask) => {
  const { client, gates, sent, pass } = clientWith(ok);
  gates.blockUntil('demo', NOW_MS + 1_500);

  expect(await ask(client)).toEqual({
    kind: 'blocked',
    untilMs: NOW_MS + 1_500,
    retryAfterSeconds: 2,
  });
  expect(sent).toEqual([]);

  pass(1.5);
  expect((await ask(client)).kind).not.toBe('blocked');
  expect(sent).toHaveLength(1);
});

test.each([
  ['looks again', 1.001, 2, 'blocked'],
  ['believes its look', 1, 1, 'page'],
])(
  '%s when looking at the gate took %s s, as the gate may have been closed meanwhile',
  async (_does, seconds, count, kind) => {
    const { client, gates, sent, pass, looks } = clientWith(ok);
    looks.after.push(() => {
      pass(seconds);
      gates.blockUntil('demo', NOW_MS + 30_000);
    });

    expect((await client.listPage({ page: 1 })).kind).toBe(kind);
    expect(sent).toHaveLength(kind === 'page' ? 1 : 0);
    expect(looks.count).toBe(count);
  },
);

test('looks again when the clock was set back during a look, which may be of any age', async () => {
  const { client, gates, sent, pass, looks } = clientWith(ok);
  looks.after.push(() => {
    pass(-3_600);
    gates.blockUntil('demo', NOW_MS + 30_000);
  });

  expect((await client.listPage({ page: 1 })).kind).toBe('blocked');
  expect(sent).toEqual([]);
});

test('sends although each look at the gate is slow', async () => {
  const { client, pass, looks } = clientWith(ok);
  looks.after.push(
    () => pass(2),
    () => pass(2),
  );

  expect((await client.listPage({ page: 1 })).kind).toBe('page');
  expect(looks.count).toBe(2);
});

test.each([
  ['sends by a new look at the gate', () => {}, 'page'],
  [
    'sends nothing in a wait that was told meanwhile',
    (gates: MemoryGates) => gates.blockUntil('demo', NOW_MS + 60_000),
    'blocked',
  ],
  [
    'sends nothing with a key that was rejected meanwhile',
    (gates: MemoryGates) => gates.haltKeyVersion('demo', { keyVersion: 'v1' }),
    'halted',
  ],
])('%s when each read of the key takes long', async (_does, meanwhile, kind) => {
  let elapsedSeconds = 0;
  let lookedAtSeconds = 0;
  const ages: number[] = [];
  const { client, gates, secret, pass, looks } = clientWith(() => {
    ages.push(elapsedSeconds - lookedAtSeconds);
    return ok();
  });
  const noteLook = () => {
    lookedAtSeconds = elapsedSeconds;
  };
  looks.after.push(noteLook, noteLook, noteLook);
  secret.whileRead = () => {
    pass(5);
    elapsedSeconds += 5;
    meanwhile(gates);
  };

  expect((await client.listPage({ page: 1 })).kind).toBe(kind);
  expect(ages).toEqual(kind === 'page' ? [0] : []);
});

test.each([
  ['asks no more', 1.001, 1, 'unavailable'],
  ['asks once more', 1, 2, 'page'],
  ['asks no more, since a clock was set back', -3_600, 1, 'unavailable'],
])(
  '%s when the connection broke %s s after the request, as the gate may have been closed meanwhile',
  async (_does, seconds, count, kind) => {
    const { client, gates, sent, pass } = clientWith(() => {
      if (sent.length > 1) return ok();
      pass(seconds);
      gates.blockUntil('demo', NOW_MS + 30_000);
      throw new TypeError('fetch failed', { cause: { code: 'ECONNRESET' } });
    });

    expect((await client.listPage({ page: 1 })).kind).toBe(kind);
    expect(sent).toHaveLength(count);
  },
);

test('a throttle that it meets blocks everyone of the connection', async () => {
  const { client, gates, sent } = clientWith(throttled);

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'throttled', status: 429 });

  expect(gates.read('demo').blockedUntilMs).toBe(NOW_MS + 30_000);
  expect(await client.read({ resource: 'customers/1' })).toMatchObject({ kind: 'blocked' });
  expect(sent).toHaveLength(1);
});

test('a write without a clear outcome that asks to wait blocks everyone too', async () => {
  const { client, gates } = clientWith(
    () => new Response('{}', { status: 500, headers: { 'Retry-After': '30' } }),
  );

  const outcome = await client.write({ method: 'POST', resource: 'customers', body: {} });

  expect(outcome).toMatchObject({ kind: 'unclear', retryAfterSeconds: 30 });
  expect(gates.read('demo').blockedUntilMs).toBe(NOW_MS + 30_000);
});

const asking = (status: number, body: string | null = '{"id":1}') =>
  new Response(body, { status, headers: { 'Retry-After': '30' } });

test.each([
  ['a page', 200, '{"customers":[{"id":1}]}', 'page'],
  ['a page cut in the middle', 200, '{"customers":[{"id":', 'unavailable'],
  ['an error in a 200', 200, '{"error":"x"}', 'refused'],
  ['no content', 204, null, 'page'],
  ['a redirect', 302, '', 'throttled'],
  ['a missing list', 404, '{}', 'throttled'],
  ['a failure', 502, '<html>', 'throttled'],
])('%s with Retry-After blocks everyone of the connection', async (_what, status, body, kind) => {
  const { client, gates, sent, pass } = clientWith(() => asking(status, body));

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind, retryAfterSeconds: 30 });

  expect(gates.read('demo')).toMatchObject({
    blockedUntilMs: NOW_MS + 30_000,
    waitAsSent: 'Retry-After: 30',
  });
  pass(29.999);
  expect(await client.read({ resource: 'customers/1' })).toMatchObject({ kind: 'blocked' });
  expect(sent).toHaveLength(1);
});

test('a write that was done blocks everyone when its answer asks to wait, and so does a read', async () => {
  const { client, gates } = clientWith(() => asking(200));

  expect(await client.write({ method: 'PUT', resource: 'a/1', body: {} })).toEqual({
    kind: 'done',
    status: 200,
    bodyText: '{"id":1}',
    retryAfterSeconds: 30,
    waitAsSent: 'Retry-After: 30',
  });
  expect(gates.read('demo').blockedUntilMs).toBe(NOW_MS + 30_000);

  const reader = clientWith(() => asking(200));
  expect((await reader.client.read({ resource: 'a/1' })).kind).toBe('resource');
  expect(reader.gates.read('demo').blockedUntilMs).toBe(NOW_MS + 30_000);
});

test('a rejected key with Retry-After halts, and the next key waits too', async () => {
  const { client, gates, sent, secret, pass } = clientWith(({ key }) =>
    key === 'key-of-v1' ? asking(401) : ok(),
  );
  secret.version = 'v2';

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'authentication-failure' });

  expect(gates.read('demo')).toMatchObject({
    haltedKeyVersions: ['v1'],
    blockedUntilMs: NOW_MS + 30_000,
  });
  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'blocked' });
  expect(sent).toHaveLength(1);
  pass(30);
  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'page' });
});

test('sends again after a person opened the gate, though it remembers the wait itself', async () => {
  const answers = [
    () => new Response('{}', { status: 429, headers: { 'Retry-After': '1795262407' } }),
    ok,
  ];
  const { client, gates, sent } = clientWith(() => (answers.shift() ?? ok)());

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'throttled' });
  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'blocked' });
  gates.open('demo', ({ blockedUntilMs: untilMs }) => ({
    id: 'opening-1',
    atMs: NOW_MS,
    by: 'ada',
    reason: 'It meant an epoch time.',
    untilMs,
  }));

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'page' });
  expect(sent).toHaveLength(2);
  expect(gates.read('demo').blockedUntilMs).toBe(0);
});

test('a rejected key is sent once, and halts everyone of the connection', async () => {
  const { client, gates, sent } = clientWith(rejected);

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'authentication-failure' });
  expect(gates.read('demo').haltedKeyVersions).toEqual(['v1']);

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'halted', keyVersion: 'v1' });
  expect(sent).toHaveLength(1);
});

test('goes on with the new key when the rejected one had been replaced', async () => {
  const { client, gates, sent, secret } = clientWith(({ key }) =>
    key === 'key-of-v1' ? rejected() : ok(),
  );
  secret.version = 'v2';

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'page' });

  expect(sent.map(({ key }) => key)).toEqual(['key-of-v1', 'key-of-v2']);
  expect(gates.read('demo').haltedKeyVersions).toEqual(['v1']);
});

/** What the gate calls the key of a version. */
async function credentialOf(version: string): Promise<string> {
  const { client, gates, secret } = clientWith(ok);
  Object.assign(secret, { version, cached: version });
  await client.listPage({ page: 1 });
  return gates.read('demo').organization?.credentials[0] ?? '';
}

test('sends a write that is bound to one credential with no other, also where that one is rejected', async () => {
  const { client, gates, sent, secret } = clientWith(rejected, { boundTo: 'any' });
  const credentials = ['any', await credentialOf('v1'), await credentialOf('v2')];
  gates.replaceOrganization('demo', { writeToken: 'a', id: 'a', credentials }, undefined);
  const write = (sentAs?: string) =>
    client.write({ method: 'POST', resource: 'customers', idempotencyKey: 'k', sentAs });
  secret.version = 'v2';

  expect(await write(credentials[0])).toMatchObject({ kind: 'key-changed' });
  expect(sent).toEqual([]);
  expect(await write(credentials[1])).toMatchObject({ kind: 'key-changed' });
  expect(sent.map(({ key }) => key)).toEqual(['key-of-v1']);
  expect(await write(credentials[2])).toMatchObject({ kind: 'authentication-failure' });
  expect(gates.read('demo').haltedKeyVersions).toEqual(['v1', 'v2']);
});

test('stops after the second key in a row that is rejected', async () => {
  const { client, sent, secret } = clientWith(rejected);
  secret.version = 'v2';

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'authentication-failure' });
  expect(sent).toHaveLength(2);
});

test('says that there is no key, without a request', async () => {
  const { client, sent, secret } = clientWith(ok);
  Object.assign(secret, { version: '', cached: '' });

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'no-key', reason: 'missing' });
  expect(sent).toEqual([]);
});

test('gives the outcome also when the gate cannot be told, and tells of that', async () => {
  const { client, gateErrors, untold, sent } = clientWith(throttled, {
    gateFailures: Number.POSITIVE_INFINITY,
  });

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'throttled' });
  expect(gateErrors).toHaveLength(1);
  expect(untold).toEqual([NOW_MS + 30_000]);

  // The client itself remembers the wait.
  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'throttled' });
  expect(sent).toHaveLength(1);
});

test('tells the gate of a rejected key again and again until it knows', async () => {
  const { client, gates, sent, gateErrors, slept } = clientWith(rejected, { gateFailures: 4 });

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'authentication-failure' });

  expect(gates.read('demo').haltedKeyVersions).toEqual(['v1']);
  expect(slept).toEqual([375, 750, 1_500, 3_000]);
  expect([sent.length, gateErrors]).toEqual([1, []]);
});

test('tells the gate of a wait again and again until it knows', async () => {
  const { client, gates, gateErrors, slept } = clientWith(throttled, {
    gateFailures: 2,
    remainingMs: 60_000,
  });

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'throttled' });

  expect(gates.read('demo').blockedUntilMs).toBe(NOW_MS + 30_000);
  expect(slept).toEqual([375, 750]);
  expect(gateErrors).toEqual([]);
});

test('gives up telling the gate of a rejected key when its time is over, and tells of that', async () => {
  const down = { gateFailures: Number.POSITIVE_INFINITY };
  const { client, sent, gateErrors, slept } = clientWith(rejected, down);

  expect(await client.listPage({ page: 1 })).toMatchObject({ kind: 'authentication-failure' });

  expect(gateErrors).toEqual([expect.objectContaining({ message: 'down' })]);
  const waitedMs = slept.reduce((sum, each) => sum + each, 0);
  expect(waitedMs).toBeGreaterThan(24_000 - LONGEST_CALL_MS - 5_000);
  expect(waitedMs).toBeLessThan(24_000 - LONGEST_CALL_MS);
  expect(sent).toHaveLength(1);
});

const bills = {
  resource: 'finance/bills',
  perPage: 20,
  query: { status: 'all', sort: 'id' },
  itemsKey: 'rows',
  metaKeys: { total: 'meta.n' },
  idKey: 'ref',
};

test.each([
  [{ page: 3 }, '/customers?page=3&per_page=100'],
  [{ list: 'customers', page: 3, perPage: 7 }, '/customers?page=3&per_page=7'],
  [{ list: 'bills', page: 3 }, '/finance/bills?status=all&sort=id&page=3&per_page=20'],
  [
    { list: 'bills', page: 3, perPage: 7, query: { status: 'paid', late: true } },
    '/finance/bills?status=paid&sort=id&late=true&page=3&per_page=7',
  ],
  [{ resource: 'finance/bills', page: 3 }, '/finance/bills?page=3'],
] satisfies readonly [LivePageRequest, string][])(
  'asks for the page %j',
  async (request: LivePageRequest, url) => {
    const answer = () => Response.json({ rows: [{ ref: 7 }], meta: { n: 1, total: 9 } });
    const { client, sent } = clientWith(answer, { lists: { bills } });

    const outcome = await client.listPage(request);

    expect(sent.map((each) => each.url)).toEqual([`https://api.example.com/2.0${url}`]);
    const isAsSet = request.list === 'bills';
    expect(outcome).toMatchObject({
      ids: [isAsSet ? '7' : undefined],
      evidence: { total: isAsSet ? 1 : 9 },
    });
  },
);

test.each([
  [
    { list: 'bill', page: 1 },
    'list: expected a list of this connection, which has customers, bills.',
  ],
  [{ list: 'constructor', page: 1 }, 'list: expected a list of this connection'],
  [{ list: 'bills', resource: 'bills', page: 1 }, 'resource: expected either a list or a resource'],
  [{ list: 'bills', page: 1, query: { page: 9 } }, 'query.page: page and per_page are sent by'],
  [{ resource: 'bills', page: 1, query: { id: 2 ** 53 } }, 'query.id: expected text, true, false'],
])('sends nothing for a request that cannot be meant: %j', async (request, message) => {
  const { client, sent } = clientWith(ok, { lists: { bills } });

  await expect(client.listPage(request)).rejects.toThrow(message);
  expect(sent).toEqual([]);
});

test.each([
  [{ page: 1 }, 'people'],
  [{ resource: 'people', page: 1 }, 'people'],
  [{ list: 'staff', page: 1 }, undefined],
  [{ resource: 'customers', page: 1 }, undefined],
])('of the page %j it remembers the records of %s', async (request, resource) => {
  const lists = { customers: { resource: 'people' }, staff: { resource: 'people' } };
  const rows = [{ id: 7 }, { id: 8 }, { id: 9 }, { id: 10 }];
  const { client, gates } = clientWith(() => Response.json({ rows, total: 4 }), { lists });
  expect((await client.listPage(request)).kind).toBe('page');

  // What is compared with a new key is asked for as the list customers.
  expect(gates.read('demo').sample?.resource).toBe(resource);
});

test('takes a new sample when the known one is an hour old, and not before', async () => {
  const { client, gates, pass } = clientWith(ok);
  const takenAtMs = async () => {
    await client.listPage({ page: 1 });
    return gates.read('demo').sample?.atMs;
  };

  expect(await takenAtMs()).toBe(NOW_MS);
  pass(3_599);
  expect(await takenAtMs()).toBe(NOW_MS);
  pass(1);
  expect(await takenAtMs()).toBe(NOW_MS + 3_600_000);
});

test('leaves the sample of an export for a day where its own would show less', async () => {
  const rows = Array.from({ length: 25 }, (_, id) => ({ id }));
  const { client, gates, pass } = clientWith(() => Response.json({ rows, total: 300 }));
  const leastAfter = async () => {
    await client.listPage({ page: 1 });
    return gates.read('demo').sample?.least;
  };
  expect(await leastAfter()).toBe(21);
  const { organization, sample } = gates.read('demo');
  if (organization === undefined || sample === undefined) throw new Error('No page came.');
  gates.storeSample('demo', organization.id, amid(sample, 20));

  pass(86_399);
  expect(await leastAfter()).toBe(4);
  pass(1);
  expect(await leastAfter()).toBe(21);
});

test('takes a place for each request under a limit, and waits for its time', async () => {
  const { client, sent, slept, gates } = clientWith(ok, { requestsPerSecond: 2 });
  expect((await client.listPage({ page: 1 })).kind).toBe('page');
  expect((await client.read({ resource: 'customers/1' })).kind).toBe('resource');
  const write = await client.write({ method: 'POST', resource: 'customers', body: {} });

  expect(write.kind).toBe('done');
  expect(sent).toHaveLength(3);
  expect(slept).toEqual([500, 500]);
  expect(gates.read('demo').places).toMatchObject({ othersTaken: 3 });
});

test('takes no place while no limit is known, nor when the caller has one', async () => {
  for (const places of [{}, { requestsPerSecond: 2, hasPlaces: true }]) {
    const { client, gates, slept } = clientWith(ok, places);
    await client.listPage({ page: 1 });
    await client.listPage({ page: 1 });
    expect(gates.read('demo').places).toBeUndefined();
    expect(slept).toEqual([]);
  }
});

test('says when to come again where no place is in time, and sends nothing', async () => {
  const { client, sent } = clientWith(ok, { requestsPerSecond: 0.1, remainingMs: 10_000 });
  await client.listPage({ page: 1 });
  expect(await client.listPage({ page: 1 })).toEqual({
    kind: 'blocked',
    untilMs: NOW_MS + 10_000,
    retryAfterSeconds: 10,
    isLimitUsedUp: true,
  });
  expect(sent).toHaveLength(1);
});

test('sends nothing when the API asked to wait while it waited for its place', async () => {
  const surroundings = { requestsPerSecond: 0.5, whileAsleep: () => close() };
  const { client, sent, gates } = clientWith(ok, surroundings);
  const close = () => gates.blockUntil('demo', NOW_MS + 60_000);
  await client.listPage({ page: 1 });
  expect(await client.listPage({ page: 1 })).toMatchObject({
    kind: 'blocked',
    untilMs: NOW_MS + 60_000,
  });
  expect(sent).toHaveLength(1);
});

test('a place that cannot be stored loses no read', async () => {
  const { client, gateErrors } = clientWith(ok, { requestsPerSecond: 2, gateFailures: 1 });
  expect((await client.listPage({ page: 1 })).kind).toBe('page');
  // It is reported where the ledger is called.
  expect(gateErrors).toEqual([]);
});

const close = (gates: MemoryGates) => gates.blockUntil('demo', NOW_MS + 8_000);

test.each([
  ['closed', close, 'blocked'],
  [
    'told of a rejected key',
    (gates: MemoryGates) => gates.haltKeyVersion('demo', { keyVersion: 'v1' }),
    'halted',
  ],
] as const)(
  'sends nothing when the gate was %s between its look and its place',
  async (_, meanwhile, kind) => {
    const { client, sent, gates, looks } = clientWith(ok, { requestsPerSecond: 20 });
    await client.listPage({ page: 1 });
    looks.after.push(() => meanwhile(gates));

    const outcome = await client.listPage({ page: 1 });

    expect(outcome.kind).toBe(kind);
    expect(sent).toHaveLength(1);
  },
);

test('sends nothing for an organization when another one was met between its look and its place', async () => {
  const first = clientWith(ok);
  await first.client.listPage({ page: 1 });
  const { organization } = first.gates.read('demo');
  const [own = ''] = organization?.credentials ?? [];
  const surroundings = { requestsPerSecond: 20, boundTo: 'v0/earlier' };
  const { client, gates, sent, looks } = clientWith(ok, surroundings);
  const known = { writeToken: 'a', id: 'a', credentials: ['v0/earlier', own] };
  gates.replaceOrganization('demo', known, undefined);
  expect((await client.listPage({ page: 1 })).kind).toBe('page');
  const other = { writeToken: 'b', id: 'b', credentials: ['v2/later'] };
  looks.after.push(() => gates.replaceOrganization('demo', other, known));

  expect((await client.listPage({ page: 1 })).kind).toBe('organization-changed');
  expect(sent).toHaveLength(1);
});

test.each([
  ['the API asked for the wait', true],
  ['others took all', false],
])('says whether %s when there is no place in time', async (_, isAsked) => {
  const surroundings = { requestsPerSecond: 1, remainingMs: 15_000 };
  const { client, gates, sent, looks } = clientWith(ok, surroundings);
  await client.listPage({ page: 1 });
  looks.after.push(() => {
    const set = { fullAtMs: NOW_MS + 10_000 };
    gates.changePlaces('demo', { expected: {}, set, add: {} });
    if (isAsked) close(gates);
  });

  const untilMs = NOW_MS + (isAsked ? 8_000 : 10_000);
  expect(await client.listPage({ page: 1 })).toEqual({
    kind: 'blocked',
    untilMs,
    retryAfterSeconds: (untilMs - NOW_MS) / 1000,
    ...(isAsked ? {} : { isLimitUsedUp: true }),
  });
  expect(sent).toHaveLength(1);
});
