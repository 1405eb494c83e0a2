import { expect, test } from '@jest/globals';
import { createConnections, withClient } from '../../../functions/aws/connections.ts';
import { asynchronous, MemoryGates } from '../../../infra/command/try/memory-ledger.ts';
import { defined } from '../../../lib/defined.ts';
import {
  connectionListsOf,
  type GivenConnectionLists,
} from '../../../lib/exports/connection-lists.ts';
import { createGatedClient } from '../../../lib/gate/gated-client.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';

const NOW_MS = Date.UTC(2026, 0, 1);
const WRITE = { method: 'PUT', resource: 'customers/42', body: {} } as const;

/** Keys of versions such as `b1` are of the organization B. All organizations have the same currencies. */
function answerTo({ url, headers }: Request): Response {
  const rows = [{ id: 1 }, { id: 2 }, { id: 3 }, { id: 4 }];
  if (url.includes('/rows')) return Response.json({ rows, total: 4 });
  if (url.includes('/pairs')) {
    return Response.json({ left: rows, right: [{}], meta: { total: 4 } });
  }
  if (url.includes('/currencies')) return Response.json({ currencies: [{ id: 'EUR' }] });
  const organization = headers.get('API-KEY')?.includes('-of-b') ? 'B' : 'A';
  if (url.includes('/made')) {
    const data = Array.from({ length: 25 }, (_, id) => ({ id, of: id < 20 ? '' : organization }));
    return Response.json({ data, total: 25 });
  }
  const customers = Array.from({ length: 5 }, (_, id) => ({ id, name: `${organization} ${id}` }));
  return Response.json({ customers, meta: { total: 5 } });
}

/** Processes that share the gate and the secret, but not what they know of the key. */
function processes() {
  const gates = new MemoryGates();
  const sent: Request[] = [];
  const secret = { version: 'v1' };
  /** What the API answers next, instead of the page. */
  const answers: (() => Response)[] = [];
  let nowMs = NOW_MS;
  let tokens = 0;
  const ports = {
    gates: asynchronous(gates),
    clock: {
      now: () => nowMs,
      sleep: async (ms: number) => {
        nowMs += ms;
      },
    },
    random: { fraction: () => 0.5, token: () => `token-${tokens++}` },
    recordMs: () => NOW_MS + 240_000 - nowMs,
    onGateError: (error: unknown) => {
      throw error;
    },
  };
  const process = (given: GivenConnectionLists = {}, requestsPerSecond?: number) => {
    const lists = connectionListsOf(given, {});
    let cached: string | undefined;
    const connections = createConnections(
      {
        keyStore: {
          read: async (_, freshness) => {
            if (freshness === 'fresh' || cached === undefined) cached = secret.version;
            return { kind: 'key', key: ApiKey.from(`key-of-${cached}`), keyVersion: cached };
          },
        },
        listsOf: () => lists,
        apiSettingsOf: () => ({
          baseUrl: 'https://api.example.com',
          fetch: async (...[input, init]: Parameters<typeof globalThis.fetch>) => {
            const request = new Request(input, init);
            sent.push(request);
            return answers.shift()?.() ?? answerTo(request);
          },
          now: () => nowMs,
        }),
      },
      withClient,
    );
    return {
      clientOf: (boundTo?: string) =>
        createGatedClient({
          lists,
          ...ports,
          connection: 'demo',
          connections,
          ...defined({ boundTo, requestsPerSecond }),
        }),
      credential: async () => {
        const opened = await connections.open('demo', 'cached');
        return opened.kind === 'open' ? opened.credential : 'none';
      },
    };
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { gates, ports, sent, secret, answers, process, pass };
}

test.each([['after a request with the former key'], ['before any request']])(
  'sends what was accepted with a newer key than the cached one, %s',
  async (when) => {
    const { process, secret, sent } = processes();
    const worker = process();
    await worker.credential();
    if (when.startsWith('after')) await worker.clientOf().listPage({ page: 1 });
    secret.version = 'v2';
    const accepted = await process().credential();

    expect(await worker.clientOf(accepted).write(WRITE)).toMatchObject({ kind: 'done' });
    expect(sent.at(-1)?.headers.get('API-KEY')).toBe('key-of-v2');
  },
);

test('sends nothing that was accepted with a key of another organization than the newest', async () => {
  const { process, secret, sent } = processes();
  const worker = process();
  await worker.clientOf().listPage({ page: 1 });
  const accepted = await worker.credential();
  secret.version = 'b1';

  // The worker still knows the former key alone, so it uses that.
  expect(await worker.clientOf(accepted).write(WRITE)).toMatchObject({ kind: 'done' });
  expect(sent.at(-1)?.headers.get('API-KEY')).toBe('key-of-v1');
  const foreign = await process().clientOf(accepted).write(WRITE);
  expect(foreign).toMatchObject({ kind: 'organization-changed' });
  expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

test('sends nothing to an organization for which the API made most of the same customers', async () => {
  const { process, secret, sent } = processes();
  const lists = { lists: { customers: { resource: 'made' } } };
  const worker = process(lists);
  await worker.clientOf().listPage({ page: 1 });
  const accepted = await worker.credential();
  secret.version = 'v2';
  expect(await process(lists).clientOf(accepted).write(WRITE)).toMatchObject({ kind: 'done' });
  secret.version = 'b1';

  const foreign = await process(lists).clientOf(accepted).write(WRITE);
  expect(foreign).toMatchObject({ kind: 'organization-changed' });
  expect(sent.filter(({ method }) => method === 'PUT')).toHaveLength(1);
});

test('takes no records for a sample that other organizations have too', async () => {
  const { process, secret, gates, sent } = processes();
  const first = process();
  await first.clientOf().listPage({ resource: 'currencies', page: 1 });
  expect(gates.read('demo').sample).toBeUndefined();
  const accepted = await first.credential();
  secret.version = 'b1';

  const outcome = await process().clientOf(accepted).write(WRITE);
  expect(outcome).toMatchObject({ kind: 'organization-changed' });
  expect(sent.filter(({ method }) => method === 'PUT')).toEqual([]);
});

test.each([
  ['moved', () => new Response(null, { status: 301, headers: { Location: '/2.0/clients' } })],
  ['is not for this key', () => new Response('{}', { status: 405 })],
  ['is a page of another kind', () => new Response('<p>Sorry.</p>', { status: 200 })],
])('is not held up for good by a list that %s since its sample was taken', async (_, refuse) => {
  const { process, secret, answers } = processes();
  await process().clientOf().listPage({ page: 1 });
  secret.version = 'v2';
  answers.push(refuse);

  expect(await process().clientOf().write(WRITE)).toMatchObject({ kind: 'done' });
});

test.each([
  ['rows', 'is found without them: it shows the same organization', 'done'],
  // Whoever waits for a proof that cannot come any more would wait for ever.
  ['pairs', 'is not: it shows nothing', 'organization-changed'],
])(
  'is not held up by a sample of %s whose list has lost its settings, if a page %s',
  async (resource, _, kind) => {
    const { process, secret, gates, sent } = processes();
    const itemsKey = resource === 'rows' ? 'rows' : 'left';
    const own = { resource, itemsKey, query: { status: 'all' } };
    const first = process({ lists: { customers: own } });
    await first.clientOf().listPage({ page: 1 });
    const accepted = await first.credential();
    expect(gates.read('demo').sample).toMatchObject({ resource, perPage: 100 });
    secret.version = 'v2';
    const second = process({ lists: { customers: false } });

    expect(await second.clientOf(accepted).write(WRITE)).toMatchObject({ kind });
    expect(await second.clientOf().write(WRITE)).toMatchObject({ kind: 'done' });
    const asked = sent.filter(({ url }) => url.includes(resource)).map(({ url }) => url);
    expect(asked).toEqual(
      Array(2).fill(`https://api.example.com/2.0/${resource}?status=all&page=1&per_page=100`),
    );
  },
);

test.each([
  ['is closed', 'blocked'],
  ['halts the key', 'halted'],
])(
  'does not ask for the sample when the gate %s while the process stands still',
  async (_, kind) => {
    const { process, secret, gates, ports, sent, pass } = processes();
    await process().clientOf().listPage({ page: 1 });
    secret.version = 'v2';
    const { replaceOrganization } = ports.gates;
    ports.gates.replaceOrganization = async (...args) => {
      pass(30_000);
      if (kind === 'blocked') gates.blockUntil('demo', NOW_MS + 300_000);
      else gates.haltKeyVersion('demo', { keyVersion: 'v2' });
      return replaceOrganization(...args);
    };

    expect(await process().clientOf().listPage({ page: 1 })).toMatchObject({ kind });
    expect(sent).toHaveLength(1);
  },
);

test.each([
  ['a wait', 429, { kind: 'blocked' }, { blockedUntilMs: NOW_MS + 30_000 }],
  ['that the key is rejected', 401, { kind: 'halted' }, { haltedKeyVersions: ['v2'] }],
])(
  'the request that shows the organization of a new key tells all others of %s',
  async (_, status, outcome, gate) => {
    const { process, secret, gates, answers } = processes();
    await process().clientOf().listPage({ page: 1 });
    secret.version = 'v2';
    answers.push(() => new Response('{}', { status, headers: { 'Retry-After': '30' } }));

    expect(await process().clientOf().listPage({ page: 1 })).toMatchObject(outcome);
    expect(gates.read('demo')).toMatchObject(gate);
  },
);

test('ends the request that shows the organization when the caller ends, and lets the next caller try', async () => {
  const { process, secret, sent, answers, gates } = processes();
  await process().clientOf().listPage({ page: 1 });
  secret.version = 'v2';
  const ended = new AbortController();
  answers.push(() => {
    ended.abort();
    return Response.error();
  });

  const outcome = await process().clientOf().listPage({ page: 1, signal: ended.signal });
  expect(outcome).toMatchObject({ kind: 'organization-unproven' });
  expect(sent.at(-1)?.signal.aborted).toBe(true);
  expect(gates.read('demo').organization).not.toHaveProperty('check');
});

test('the request that shows the organization of a new key takes a place too', async () => {
  const { process, secret, gates, sent, ports } = processes();
  const times: number[] = [];
  const worker = () => process({}, 2).clientOf();
  await worker().listPage({ page: 1 });
  secret.version = 'v2';
  const { changePlaces } = ports.gates;
  ports.gates.changePlaces = async (...args) => {
    times.push(sent.length);
    return changePlaces(...args);
  };

  expect((await worker().listPage({ page: 1 })).kind).toBe('page');
  expect(sent.map(({ headers }) => headers.get('API-KEY')?.slice(-2))).toEqual(['v1', 'v2', 'v2']);
  // One before the check, one before the page.
  expect(times).toEqual([1, 2]);
  expect(gates.read('demo').places).toMatchObject({ othersTaken: 3 });
  expect(ports.clock.now()).toBe(NOW_MS + 1_000);
});

test('checks no organization while others take all that the limit admits, and lets the next caller try', async () => {
  const { process, secret, gates, sent, pass } = processes();
  const worker = () => process({}, 2).clientOf();
  await worker().listPage({ page: 1 });
  secret.version = 'v2';
  const set = { fullAtMs: NOW_MS + 60_000 };
  gates.changePlaces('demo', { expected: {}, set, add: {} });

  expect(await worker().write(WRITE)).toMatchObject({ kind: 'blocked', isLimitUsedUp: true });
  expect(sent).toHaveLength(1);
  pass(60_000);
  expect(await worker().write(WRITE)).toMatchObject({ kind: 'done' });
});

test('sends nothing before the end of a wait that came with the page that shows the organization', async () => {
  const { process, secret, sent, answers, pass } = processes();
  const worker = () => process().clientOf();
  await worker().listPage({ page: 1 });
  secret.version = 'v2';
  answers.push(() => {
    const answer = answerTo(new Request('https://api.example.com/2.0/customers'));
    answer.headers.set('Retry-After', '30');
    return answer;
  });

  expect(await worker().write(WRITE)).toMatchObject({ kind: 'blocked', retryAfterSeconds: 30 });
  expect(sent).toHaveLength(2);
  pass(30_000);
  expect(await worker().write(WRITE)).toMatchObject({ kind: 'done' });
  expect(sent).toHaveLength(3);
});
