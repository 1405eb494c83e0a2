import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import { buffer } from 'node:stream/consumers';
import tls from 'node:tls';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { httpsTransport } from '../../../lib/customers-api/https-transport.ts';
import type { TransportAnswer } from '../../../lib/customers-api/transport.ts';

const BODY = Buffer.from(JSON.stringify({ text: 'ä'.repeat(200_000) }));

interface Asked {
  readonly fetch: (signal?: AbortSignal, body?: string) => Promise<TransportAnswer>;
  readonly server: Server;
}

async function withServer(
  answer: (response: ServerResponse, body: string) => void,
  use: (asked: Asked) => Promise<void>,
): Promise<void> {
  const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), caPem]);
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
  try {
    await use({
      server,
      fetch: (signal = new AbortController().signal, body) =>
        httpsTransport(url, {
          method: body === undefined ? 'GET' : 'POST',
          headers: { 'API-KEY': 'not-a-key' },
          signal,
          ...(body === undefined ? {} : { body }),
        }),
    });
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

function bytesIn({ body }: TransportAnswer): Promise<Buffer> {
  return body === undefined ? Promise.reject(new Error('There is no body.')) : buffer(body);
}

test.each([
  ['gzip', gzipSync(BODY)],
  ['x-gzip', gzipSync(BODY)],
  ['deflate', deflateSync(BODY)],
  ['br', brotliCompressSync(BODY)],
  ['BR ', brotliCompressSync(BODY)],
  ['identity', BODY],
])('decodes %s', async (encoding, encoded) => {
  await withServer(
    (response) => response.setHeader('Content-Encoding', encoding).end(encoded),
    async ({ fetch }) => {
      expect((await bytesIn(await fetch())).equals(BODY)).toBe(true);
    },
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
      async ({ fetch }) => {
        const response = await fetch();
        expect(response.status).toBe(status);
        expect(response.headers.get('retry-after')).toBe('3, 7');
        expect(String(await bytesIn(response))).toBe('{}');
      },
    );
  },
);

test.each([204, 205, 304])('gives an answer with status %d without a body', async (status) => {
  await withServer(
    (response) => response.writeHead(status).end(),
    async ({ fetch }) => expect((await fetch()).body).toBeUndefined(),
  );
});

test('sends a body with its length', async () => {
  await withServer(
    (response, body) => response.end(JSON.stringify({ body, ...response.req.headers })),
    async ({ fetch }) => {
      const echo = JSON.parse(String(await bytesIn(await fetch(undefined, '{"name":"é"}'))));
      expect(echo).toMatchObject({ body: '{"name":"é"}', 'content-length': '13' });
      expect(echo).not.toHaveProperty('transfer-encoding');
    },
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
    async ({ fetch }) => {
      const response = await fetch();
      await expect(bytesIn(response)).rejects.toMatchObject({ code: expect.any(String) });
    },
  );
});

test('closes the connection of an answer that nobody reads on, and reads no further', async () => {
  await withServer(
    (response) => {
      const more = () => {
        while (response.write(BODY));
        response.once('drain', more);
      };
      more();
    },
    async ({ fetch, server }) => {
      const closed = new Promise((resolve) =>
        server.once('request', ({ socket }) => socket.once('close', resolve)),
      );
      const { body } = await fetch();
      body?.once('data', () => body.destroy());
      await closed;
    },
  );
});

test('ends with its signal, before the answer and while its body comes', async () => {
  const silent = new AbortController();
  await withServer(
    () => silent.abort(),
    async ({ fetch }) => {
      await expect(fetch(silent.signal)).rejects.toMatchObject({ name: 'AbortError' });
    },
  );
  const half = new AbortController();
  await withServer(
    (response) => response.write('{"customers":['),
    async ({ fetch }) => {
      const bytes = bytesIn(await fetch(half.signal));
      half.abort();
      await expect(bytes).rejects.toMatchObject({ code: expect.any(String) });
    },
  );
});

test('uses a connection again', async () => {
  await withServer(
    (response) => response.end(String(response.req.socket.remotePort)),
    async ({ fetch }) => {
      const first = await bytesIn(await fetch());
      expect(await bytesIn(await fetch())).toEqual(first);
    },
  );
});

test('holds a request back that is not to leave any more when its connection is there', async () => {
  const bodies: string[] = [];
  await withServer(
    (response, body) => {
      bodies.push(body);
      response.end('{}');
    },
    async ({ server }) => {
      const address = server.address();
      const port = typeof address === 'object' ? address?.port : undefined;
      const held = httpsTransport(new URL(`https://127.0.0.1:${port}/`), {
        method: 'POST',
        headers: {},
        signal: new AbortController().signal,
        body: '{}',
        mayLeave: () => false,
      });

      await expect(held).rejects.toMatchObject({ code: 'HELD_BACK' });
      expect(bodies).toEqual([]);
    },
  );
});

test.each([
  ['a status below 200', 'HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n'],
  [
    'a change of protocol that nobody asked for',
    'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: odd\r\n\r\n',
  ],
])('takes %s for no answer, at once', async (_, head) => {
  await withServer(
    (response) => response.socket?.end(head),
    async ({ fetch }) => {
      await expect(fetch()).rejects.toThrow();
    },
  );
});
