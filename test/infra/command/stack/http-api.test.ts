import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from '@jest/globals';
import { storedObject } from '../../../../infra/command/stack/export-files.ts';
import { createHttpApi } from '../../../../infra/command/stack/http-api.ts';
import { sha256 } from './sha256.ts';

const SECRET = 'cAnArY-secret-access-key';
const credentials = { accessKeyId: 'AKIA', secretAccessKey: SECRET, sessionToken: 'cAnArY-token' };
const { signal } = new AbortController();

const apiAt = (base: string) =>
  createHttpApi(base, { region: async () => 'eu-west-1', credentials, sha256, signal });

async function problemOf(listener: RequestListener): Promise<unknown> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    return await apiAt(`http://127.0.0.1:${port}`)
      .ask('acme', ['exports'])
      .catch((error) => error);
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

test.each<[string, RequestListener, string, boolean]>([
  [
    'breaks off within its answer',
    (_, answer) => {
      answer.writeHead(200, { 'content-length': '100' });
      answer.write('{"exports":[', () => answer.destroy());
    },
    'does not answer',
    true,
  ],
  ['is overloaded', (_, answer) => void answer.writeHead(503).end('busy'), 'answered 503', true],
  [
    'redirects',
    (_, answer) => void answer.writeHead(302, { location: 'http://127.0.0.1:9/' }).end(),
    'does not answer',
    true,
  ],
  ['has no such route', (_, answer) => void answer.writeHead(404).end(), 'no such route', false],
  ['refuses', (_, answer) => void answer.writeHead(403).end(), 'refuses these credentials', false],
])('of an HTTP API that %s one line is told', async (_, listener, message, isPassing) => {
  const problem = await problemOf(listener);
  expect(problem).toMatchObject({
    name: 'CommandError',
    message: expect.stringContaining(message),
    isPassing,
  });
  expect(String(problem)).not.toContain('cAnArY');
});

test('is throttled by the gateway, and asks again a second later; a throttle of the function is told', async () => {
  const times: number[] = [];
  const throttledTwice: RequestListener = (_, answer) => {
    times.push(Date.now());
    const isThrottled = times.length <= 2;
    const detail = isThrottled ? { message: 'Too Many Requests' } : { detail: 'Wait for the API.' };
    answer.writeHead(429).end(JSON.stringify(detail));
  };

  expect(await problemOf(throttledTwice)).toMatchObject({ message: 'Wait for the API.' });
  const waits = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  expect(waits).toHaveLength(2);
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(990);
});

test.each([
  'http://api.example.com',
  'http://localhost.example.com',
  'http://127.0.0.1.example.com',
  'ftp://localhost',
  'file:///etc/passwd',
  'none',
])('nothing is sent to %s', async (base) => {
  const expected = { name: 'CommandError', message: expect.stringContaining('with https') };
  await expect(apiAt(base).ask('acme', ['exports'])).rejects.toMatchObject(expected);
  await expect(storedObject(base, signal)).rejects.toMatchObject(expected);
});
