import { once } from 'node:events';
import { createServer as createPlainServer, type Server } from 'node:net';
import { createServer } from 'node:tls';
import { afterEach, expect, test } from '@jest/globals';
import { requireConnection } from '../../../../infra/local/start/first-connection.ts';
import { createCertificates } from '../../../../infra/simulator/certificate.ts';
import { trust } from '../../../trust.ts';

const { signal } = new AbortController();
const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** Where a server answers whose connections are counted. */
async function at(server: Server): Promise<string> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  return `https://localhost:${typeof address === 'object' ? address?.port : ''}`;
}

const problemOf = (baseUrl: string) =>
  requireConnection(baseUrl, signal).then(
    () => 'connected',
    (error: unknown) => String(error),
  );

async function tlsServer(): Promise<Server> {
  const { caPem, certificatePem: cert, privateKeyPem: key } = await createCertificates(Date.now());
  trust(caPem);
  return createServer({ key, cert });
}

test('connects where the first request would, and sends nothing', async () => {
  const sent: Buffer[] = [];
  const server = await tlsServer();
  server.on('secureConnection', (socket) => socket.on('data', (some: Buffer) => sent.push(some)));

  expect(await problemOf(await at(server))).toBe('connected');
  expect(sent).toEqual([]);
});

const UNREACHABLE: readonly (readonly [
  host: string,
  urlOf: () => Promise<string>,
  told: RegExp,
])[] = [
  [
    'is mistyped',
    async () => 'https://api.exmaple.invalid',
    /not found \(ENOTFOUND\)|\(EAI_AGAIN\)/,
  ],
  [
    'does not listen',
    async () => {
      const server = createPlainServer();
      const url = await at(server);
      await new Promise((resolve) => server.close(resolve));
      return url;
    },
    /refused the connection \(ECONNREFUSED\)/,
  ],
  [
    'speaks no TLS',
    () => at(createPlainServer((socket) => socket.end('HTTP/1.1 400 Bad\r\n\r\n'))),
    /does not speak TLS there/,
  ],
  [
    'hangs up',
    () => at(createPlainServer((socket) => socket.destroy())),
    /ended the connection before TLS/,
  ],
  [
    'has a certificate that nobody knows',
    async () => {
      const { certificatePem: cert, privateKeyPem: key } = await createCertificates(Date.now());
      return at(createServer({ key, cert }));
    },
    /certificate is not trusted/,
  ],
];

// At the same time, as each waits before it tries again.
test('of a host that cannot be reached it says why within ten seconds', async () => {
  const startedAtMs = performance.now();
  const told = UNREACHABLE.map(async ([host, urlOf]) => [host, await problemOf(await urlOf())]);

  expect(await Promise.all(told)).toEqual(
    UNREACHABLE.map(([host, , expected]) => [host, expect.stringMatching(expected)]),
  );
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});

test('whoever ends it does not wait for a host that is silent', async () => {
  const url = await at(createPlainServer());
  const interrupt = new AbortController();
  const connecting = requireConnection(url, interrupt.signal);
  interrupt.abort(new Error('stopped'));
  await expect(connecting).rejects.toThrow('stopped');
});
