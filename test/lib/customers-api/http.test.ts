import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from '@jest/globals';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import {
  createHttp,
  type Http,
  type HttpAnswer,
  type HttpHead,
  type HttpRequest,
} from '../../../lib/customers-api/http.ts';
import { connectionBroke } from '../../../lib/customers-api/http-failure.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { standStill } from '../../stand-still.ts';
import { trust } from '../../trust.ts';
import { CANARY } from './simulated-api.ts';

const BODY = Buffer.from(JSON.stringify({ text: 'ä'.repeat(200_000) }));
const MAX_BODY_BYTES = 1_000_000;

type Sent = Awaited<ReturnType<Http['send']>>;

interface Asked {
  readonly http: Http;
  /** Sends a GET, or whatever else is told, with `/2.0/customers` as its address. */
  readonly send: (request?: Partial<HttpRequest>) => Promise<Sent>;
  readonly server: Server;
  readonly url: URL;
}

const settings = {
  key: ApiKey.from(CANARY),
  header: 'API-KEY',
  deadlineMs: 30_000,
  maxBodyBytes: MAX_BODY_BYTES,
  fetch,
  now: Date.now,
};

async function withServer(
  answer: (response: ServerResponse, body: string) => void,
  use: (asked: Asked) => Promise<void>,
): Promise<void> {
  const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
  trust(caPem);
  const server = createServer({ key: privateKeyPem, cert: certificatePem }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', () => answer(response, Buffer.concat(chunks).toString()));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const url = new URL(`https://127.0.0.1:${port}/2.0/customers`);
  const http = createHttp(settings);
  try {
    await use({
      http,
      server,
      url,
      send: (request) => http.send({ method: 'GET', address: url.href, ...request }, () => {}),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function answerOf(sent: Sent): HttpAnswer {
  if (sent.kind === 'failure') throw new Error(`No answer: ${JSON.stringify(sent)}`);
  return sent;
}

function bytesOf(sent: Sent): Buffer {
  const { body } = answerOf(sent);
  if ('kind' in body) throw new Error(`No body: ${JSON.stringify(body)}`);
  return Buffer.from(body.bytes);
}

test.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['deflate', deflateRawSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['BR ', brotliCompressSync(BODY)],
  ['identity', BODY],
])('decodes %s', async (encoding, encoded) => {
  await withServer(
    (response) => response.setHeader('Content-Encoding', encoding).end(encoded),
    async ({ send }) => expect(bytesOf(await send()).equals(BODY)).toBe(true),
  );
});

test('leaves a body in an encoding that it does not know as it is', async () => {
  await withServer(
    (response) => response.setHeader('Content-Encoding', 'sdch').end('{"a":1}'),
    async ({ send }) => expect(bytesOf(await send()).toString()).toBe('{"a":1}'),
  );
});

test.each([200, 301, 404, 429, 503])(
  'gives an answer with status %d as it came',
  async (status) => {
    const headers = [
      ['Retry-After', '3'],
      ['Retry-After', '7'],
      ['Location', 'https://x.example/'],
    ];
    await withServer(
      (response) => response.writeHead(status, headers.flat()).end('{}'),
      async ({ send }) => {
        const answer = answerOf(await send());
        expect(answer.status).toBe(status);
        expect(answer.headers.get('retry-after')).toBe('3, 7');
        expect(bytesOf(answer).toString()).toBe('{}');
      },
    );
  },
);

test.each([204, 205, 304])('gives an answer with status %d without a body', async (status) => {
  await withServer(
    (response) => response.writeHead(status).end(),
    async ({ send }) => expect(bytesOf(await send())).toHaveLength(0),
  );
});

test('sends the key, the query and a body with its length', async () => {
  const received: unknown[] = [];
  await withServer(
    (response, body) => {
      const { method, url, headers } = response.req;
      received.push({ method, url, body, headers });
      response.end('{}');
    },
    async ({ send, url }) => {
      await send({
        method: 'POST',
        address: `${url}?page=2&name%5B%5D=%C3%A9+%26`,
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': 'w-1' },
        body: '{"name":"é"}',
      });
    },
  );
  expect(received).toEqual([
    {
      method: 'POST',
      url: '/2.0/customers?page=2&name%5B%5D=%C3%A9+%26',
      body: '{"name":"é"}',
      headers: expect.objectContaining({
        'api-key': CANARY,
        accept: 'application/json',
        'accept-encoding': 'gzip, deflate, br',
        'content-length': '13',
        'content-type': 'application/json',
        'idempotency-key': 'w-1',
        'user-agent': 'customers-functions',
      }),
    },
  ]);
  expect(received).not.toMatchObject([{ headers: { 'transfer-encoding': expect.anything() } }]);
});

const { Request: NodeRequest } = globalThis;
afterEach(() => {
  globalThis.Request = NodeRequest;
});

test('gives ky no request that holds the key', async () => {
  const requests: Request[] = [];
  globalThis.Request = class extends NodeRequest {
    constructor(...args: ConstructorParameters<typeof NodeRequest>) {
      super(...args);
      requests.push(this);
    }
  };
  const sent: unknown[] = [];
  const http = createHttp({
    ...settings,
    fetch: async (_, init) => {
      sent.push(new Headers(init?.headers).get('API-KEY'));
      return Response.json({});
    },
  });

  const address = 'https://api.example.com/2.0/customers?page=1';
  await http.send({ method: 'POST', address, body: '{}' }, () => {});

  expect(sent).toEqual([CANARY]);
  expect(requests.length).toBeGreaterThan(0);
  expect(requests.map(({ headers }) => headers.get('API-KEY'))).toEqual(requests.map(() => null));
  expect(JSON.stringify(requests.map(({ url, headers }) => [url, ...headers]))).not.toContain(
    CANARY,
  );
});

test.each([
  ['plain', BODY, 'identity'],
  ['compressed', gzipSync(Buffer.from(crypto.getRandomValues(new Uint8Array(50_000)))), 'gzip'],
])('fails when a %s body ends before its length', async (_, body, encoding) => {
  await withServer(
    (response) => {
      response.writeHead(200, { 'Content-Length': body.length, 'Content-Encoding': encoding });
      response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
    },
    async ({ send }) => {
      const { body: failure } = answerOf(await send());
      expect(failure).toMatchObject({
        reason: 'network',
        networkCode: 'ECONNRESET',
        sent: true,
      });
    },
  );
});

test('reads no further than the cap, and closes the connection', async () => {
  await withServer(
    (response) => {
      const more = () => {
        while (response.write(BODY));
        response.once('drain', more);
      };
      more();
    },
    async ({ send, server }) => {
      const written = new Promise((resolve) =>
        server.once('request', ({ socket }) =>
          socket.once('close', () => resolve(socket.bytesWritten)),
        ),
      );
      expect(answerOf(await send()).body).toEqual({
        kind: 'failure',
        reason: 'too-large',
        sent: true,
      });
      // What the two sockets hold is not read.
      expect(await written).toBeLessThan(20 * MAX_BODY_BYTES);
    },
  );
});

test('ends with its signal, before the answer and while its body comes', async () => {
  const silent = new AbortController();
  await withServer(
    () => silent.abort(),
    async ({ send }) => {
      expect(await send({ signal: silent.signal })).toMatchObject({
        reason: 'aborted',
        sent: true,
      });
    },
  );
  const half = new AbortController();
  await withServer(
    (response) => response.write('{"customers":['),
    async ({ http, server }) => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const url = new URL(`https://127.0.0.1:${port}/`);
      const closed = new Promise((resolve) =>
        server.once('request', ({ socket }) => socket.once('close', resolve)),
      );
      const sent = http.send({ method: 'GET', address: url.href, signal: half.signal }, () =>
        half.abort(),
      );
      expect(answerOf(await sent).body).toMatchObject({ reason: 'aborted' });
      await closed;
    },
  );
});

test('uses connections again: as many as there are requests at the same time, and no more', async () => {
  let connections = 0;
  await withServer(
    (response) => response.end('{}'),
    async ({ send, server }) => {
      server.on('secureConnection', () => connections++);
      const oneAfterTheOther = async () => {
        for (let request = 0; request < 10; request++) await send();
      };
      await Promise.all([1, 2, 3].map(oneAfterTheOther));
    },
  );
  expect(connections).toBe(3);
});

test('holds back what has not left when it is told to, and lets the rest go on', async () => {
  const seen: string[] = [];
  const waiting: ServerResponse[] = [];
  await withServer(
    (response, body) => {
      seen.push(body);
      waiting.push(response);
    },
    async ({ http, send, server }) => {
      const left = send({ method: 'POST', body: 'left' });
      await once(server, 'request');
      // Their connections are still being made.
      const held = [send({ method: 'POST', body: 'held' }), send()];
      await new Promise(setImmediate);
      http.holdBack();

      const heldBack = { kind: 'failure', networkCode: 'HELD_BACK', sent: false };
      expect(await Promise.all(held)).toMatchObject([heldBack, heldBack]);
      waiting[0]?.end('{}');
      expect(answerOf(await left).status).toBe(200);
      // A later request is none of them, and shows that theirs did not come meanwhile.
      const later = send({ method: 'POST', body: 'later' });
      await once(server, 'request');
      await new Promise(setImmediate);
      waiting[1]?.end('{}');
      expect(answerOf(await later).status).toBe(200);
    },
  );
  expect(seen).toEqual(['left', 'later']);
});

test('reads what has come on other connections before a request leaves', async () => {
  const seen: string[] = [];
  const together: ServerResponse[] = [];
  let asked: Promise<unknown> = Promise.resolve();
  let sendLater = () => asked;
  await withServer(
    (response, body) => {
      seen.push(body);
      if (body === 'throttled') {
        response.writeHead(429).end();
        // Nothing has read the 429 yet.
        asked = sendLater();
        return;
      }
      together.push(response);
      if (together.length === 2) for (const each of together) each.end('{}');
    },
    async ({ http, send, url }) => {
      sendLater = () => send();
      // Two connections are kept from now on, so that a request could leave at once.
      await Promise.all([send(), send()]);
      await http.send({ method: 'POST', address: url.href, body: 'throttled' }, () =>
        http.holdBack(),
      );
      expect(await asked).toMatchObject({ networkCode: 'HELD_BACK', sent: false });
    },
  );
  expect(seen).toEqual(['', '', 'throttled']);
});

test.each(['GET', 'POST'] as const)(
  'sends a %s once although fetch repeats what was answered with 421',
  async (method) => {
    const seen: string[] = [];
    await withServer(
      (response, body) => {
        seen.push(body);
        response.writeHead(421).end();
      },
      async ({ send }) => {
        const body = method === 'POST' ? { body: 'once' } : {};
        const failure = { kind: 'failure', networkCode: 'REPEATED', sent: true };
        expect(await send({ method, ...body })).toMatchObject(failure);
        // One more, so that a repeat of the first would have come before it.
        await send({ method: 'PUT', body: 'later' });
      },
    );
    expect(seen).toEqual([method === 'POST' ? 'once' : '', 'later']);
  },
);

test.each([
  ['GET', 421, 'Retry-After'],
  ['POST', 421, 'X-Ms-Retry-After-Ms'],
  ['GET', 407, 'Retry-After-Ms'],
  ['POST', 407, 'Retry-After'],
] as const)(
  'a %s that is answered with %i and asks to wait by %s is answered, although fetch shows nobody the answer',
  async (method, status, header) => {
    let requests = 0;
    await withServer(
      (response) => {
        requests++;
        response.writeHead(status, { [header]: '77', 'X-Request-Id': 'r1' }).end();
      },
      async ({ http, url }) => {
        const heads: HttpHead[] = [];
        const sent = await http.send({ method, address: url.href }, (head) => heads.push(head));
        expect(sent).toMatchObject({ kind: 'answer', status, body: { kind: 'failure' } });
        expect(heads.map(({ headers }) => headers.get(header))).toEqual(['77']);
      },
    );
    expect(requests).toBe(1);
  },
);

test("does not say of a call that has left that it did not, when a user's fetch tries a second address", async () => {
  const arrived = Promise.withResolvers<ServerResponse>();
  await withServer(
    (response) => arrived.resolve(response),
    async ({ url }) => {
      const twoAddresses: typeof fetch = async (input, init) => {
        // A port where nobody listens.
        await fetch('https://127.0.0.1:2/', init).catch(() => undefined);
        return fetch(input, init);
      };
      const http = createHttp({ ...settings, fetch: twoAddresses });
      const sent = http.send({ method: 'POST', address: url.href, body: 'x' }, () => {});
      const response = await arrived.promise;
      http.holdBack();
      response.end('{}');
      expect(answerOf(await sent).status).toBe(200);
    },
  );
});

test("gives a user's fetch headers that can be spread", async () => {
  await withServer(
    (response) => response.end('{}'),
    async ({ server, url }) => {
      const traced: typeof fetch = (input, init) =>
        fetch(input, { ...init, headers: { ...Object(init?.headers), 'X-Trace': '1' } });
      const asked = once(server, 'request');
      const http = createHttp({ ...settings, fetch: traced });
      expect(answerOf(await http.send({ method: 'GET', address: url.href }, () => {})).status).toBe(
        200,
      );
      const [{ headers }] = await asked;
      expect(headers).toMatchObject({ 'api-key': CANARY, 'x-trace': '1' });
    },
  );
});

test('a request has two timers, of its deadline and its connection, and leaves none behind, which would keep the process', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const before = timers();
  const fetched = async () => {
    // One more would be ky's, of 10 s.
    expect(timers() - before).toBe(2);
    return new Response('{}');
  };
  const http = createHttp({ ...settings, fetch: fetched });
  const url = new URL('https://api.example.com/2.0/customers');
  answerOf(await http.send({ method: 'GET', address: url.href }, () => {}));
  expect(timers()).toBe(before);
});

test('hears of a wait that came before the deadline, though the process stood still beyond it', async () => {
  await withServer(
    (response, body) => {
      response.writeHead(429, { 'retry-after': '60' }).end('{}');
      if (body === 'late') standStill(150);
    },
    async ({ send }) => {
      // The connection is there from now on.
      await send();
      const sent = await send({ method: 'POST', body: 'late', deadlineMs: 100 });
      expect(answerOf(sent).status).toBe(429);
      expect(bytesOf(sent).toString()).toBe('{}');
    },
  );
});

test('a connection may be set up yet where the process stood still until its time was over', async () => {
  await withServer(
    (response) => response.end('{}'),
    async ({ server, url }) => {
      server.once('connection', () => standStill(300));
      const http = createHttp({ ...settings, now: () => 0, connectDeadlineMs: 50 });
      const sent = await http.send({ method: 'GET', address: url.href }, () => {});
      expect(answerOf(sent).status).toBe(200);
    },
  );
});

test("a user's fetch that does not say when it has connected has the whole deadline", async () => {
  const slow: typeof fetch = () =>
    new Promise((resolve) => setTimeout(() => resolve(new Response('{}')), 40));
  const http = createHttp({ ...settings, connectDeadlineMs: 5, fetch: slow });
  const address = 'https://api.example.com/2.0/customers';
  expect(answerOf(await http.send({ method: 'GET', address }, () => {})).status).toBe(200);
});

test('a request may have less time than the others', async () => {
  const http = createHttp({
    ...{ ...settings, deadlineMs: 900_000 },
    fetch: () => new Promise(() => {}),
  });
  const url = new URL('https://api.example.com/2.0/customers');
  const sent = await http.send({ method: 'GET', address: url.href, deadlineMs: 20 }, () => {});
  expect(sent).toMatchObject({ kind: 'failure', reason: 'timeout' });
});

test.each(['EHOSTUNREACH', 'ENETUNREACH', 'ECONNREFUSED', 'CERT_HAS_EXPIRED'])(
  'says of a write that the API has seen that it was sent, though its connection ends with %s',
  async (code) => {
    const sockets: Socket[] = [];
    const onConnected = (message: unknown) => sockets.push(Object(message).socket);
    subscribe('undici:client:connected', onConnected);
    try {
      await withServer(
        // As the kernel ends a connection whose host it has lost after the bytes were taken.
        () => sockets.at(-1)?.destroy(Object.assign(new Error('lost'), { code })),
        async ({ send }) => {
          const failure = { kind: 'failure', reason: 'network', networkCode: code, sent: true };
          expect(await send({ method: 'POST', body: 'x' })).toEqual(failure);
        },
      );
    } finally {
      unsubscribe('undici:client:connected', onConnected);
    }
  },
);

test('says of a request without a connection that it never left', async () => {
  const { http, url } = await closedServer();
  for (const address of [url.href, 'https://customers.invalid/']) {
    expect(await http.send({ method: 'GET', address }, () => {})).toMatchObject({
      kind: 'failure',
      reason: 'unreachable',
      sent: false,
    });
  }
});

test('a request whose connection is there after the process stood still does not leave', async () => {
  const requests: string[] = [];
  let stoodStillMs = 0;
  let leaving = 0;
  const onConnected = () => {
    stoodStillMs = 7_000;
  };
  subscribe('undici:client:connected', onConnected);
  try {
    await withServer(
      (response, body) => {
        requests.push(body);
        response.end('{}');
      },
      async ({ url }) => {
        const http = createHttp({ ...settings, now: () => Date.now() + stoodStillMs });
        const onLeave = () => {
          leaving++;
        };
        const ask = (more: { method: 'GET' } | { method: 'POST'; body: string }) =>
          http.send({ address: url.href, onLeave, ...more }, () => {});
        for (const late of [{ method: 'POST', body: 'late' }, { method: 'GET' }] as const) {
          stoodStillMs = 0;
          expect(await ask(late)).toMatchObject({ networkCode: 'HELD_BACK', sent: false });
          expect(leaving).toBe(0);
        }
        unsubscribe('undici:client:connected', onConnected);
        expect(await ask({ method: 'POST', body: 'in time' })).toMatchObject({ status: 200 });
      },
    );
  } finally {
    unsubscribe('undici:client:connected', onConnected);
  }
  expect({ requests, leaving }).toEqual({ requests: ['in time'], leaving: 1 });
});

test("a fetch of a user's may ask again for as long as the request lasts", async () => {
  let requests = 0;
  let passedMs = 0;
  await withServer(
    (response) => {
      requests++;
      response.end('{}');
    },
    async ({ url }) => {
      const now = () => Date.now() + passedMs;
      const own: typeof fetch = async (input, init) => {
        await (await fetch(input, init)).text();
        passedMs = 7_000;
        return fetch(input, init);
      };
      const http = createHttp({ ...settings, now, fetch: own });
      const get = { method: 'GET', address: url.href } as const;
      expect(await http.send(get, () => {})).toMatchObject({ kind: 'answer', status: 200 });
      passedMs = 0;
      expect(await http.send({ ...get, deadlineMs: 6_500 }, () => {})).toMatchObject({
        networkCode: 'REPEATED',
      });
    },
  );
  expect(requests).toBe(3);
});

test.each([
  ['nobody answers in time', { connectDeadlineMs: 50 }, () => {}, 'CONNECT_TIMEOUT'],
  ['the deadline of the request is shorter', { deadlineMs: 50 }, () => {}, 'CONNECT_TIMEOUT'],
  ['the server hangs up', {}, (socket) => socket.destroy(), 'ECONNRESET'],
  ['the server resets', {}, (socket) => socket.resetAndDestroy(), 'ECONNRESET'],
  [
    'the server speaks HTTP without TLS',
    {},
    (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'),
    expect.stringMatching(/^(ERR_SSL_|EPROTO)/),
  ],
] as readonly [string, object, (socket: Socket) => unknown, unknown][])(
  'says of a write that it never left when %s before TLS is set up',
  async (_, others, onConnection, networkCode) => {
    const server = createTcpServer((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => onConnection(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const http = createHttp({ ...settings, ...others });
    const url = new URL(`https://127.0.0.1:${port}/`);
    try {
      expect(await http.send({ method: 'POST', address: url.href, body: 'x' }, () => {})).toEqual({
        kind: 'failure',
        reason: 'unreachable',
        networkCode,
        sent: false,
      });
    } finally {
      server.close();
    }
  },
  // undici's own limit is 10 s.
  8_000,
);

async function closedServer() {
  let url = new URL('https://127.0.0.1/');
  await withServer(
    () => {},
    async ({ server }) => {
      const address = server.address();
      url = new URL(`https://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/`);
    },
  );
  return { http: createHttp(settings), url };
}

test('passes over an early hint', async () => {
  await withServer(
    (response) =>
      response.writeEarlyHints({ link: '</a.css>; rel=preload' }, () => response.end('{}')),
    async ({ send }) => expect(bytesOf(await send()).toString()).toBe('{}'),
  );
});

test.each([
  ['a status below 200', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  ['a continuation that nobody asked for', 'HTTP/1.1 100 Continue\r\n\r\n'],
  [
    'a change of protocol that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n',
  ],
  ['no HTTP at all', 'SSH-2.0-OpenSSH_9.6\r\n'],
])('takes %s for no answer, at once', async (_, head) => {
  await withServer(
    (response) => response.socket?.end(head),
    async ({ send }) => {
      const answer = await send();
      expect(answer).toMatchObject({ kind: 'failure', reason: 'network', sent: true });
      // Else a read were sent once more at once, as where a connection was closed.
      expect(answer.kind === 'failure' && connectionBroke(answer)).toBe(false);
    },
  );
});

test('says that what answers does not speak HTTP', async () => {
  await withServer(
    (response) => response.socket?.end('SSH-2.0-OpenSSH_9.6\r\n'),
    async ({ send }) => expect(await send()).toMatchObject({ networkCode: 'NOT_HTTP' }),
  );
});

test('an answer that asks to wait is over soon, also when its body does not end', async () => {
  await withServer(
    (response) => response.writeHead(429, { 'retry-after': '60' }).write('{"error":'),
    async ({ send }) => {
      const begunAtMs = Date.now();
      const { status, body } = answerOf(await send({ deadlineMs: 30_000 }));

      expect({ status, body }).toMatchObject({ status: 429, body: { reason: 'timeout' } });
      // It is given up after a second; a busy machine may take longer to see it.
      expect(Date.now() - begunAtMs).toBeLessThan(20_000);
    },
  );
});
