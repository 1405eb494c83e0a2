// A program, since jest hides what sends the requests of Node's fetch: answers a request with a wait at the moment when the
// connections of two others are there, whose requests would be written next, and prints what became of those. Then it sends
// two more.
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { createHttp } from '../../../lib/customers-api/http.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { standStill } from '../../stand-still.ts';
import { trust } from '../../trust.ts';
import { CANARY } from './simulated-api.ts';

const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
trust(caPem);
const answered: ServerResponse[] = [];
let connections = 0;
const server = createServer({ key: privateKeyPem, cert: certificatePem }, (_request, response) => {
  answered.push(response);
  if (answered.length > 1) response.end('{}');
});
subscribe('undici:client:connected', () => {
  connections++;
  // Written before this returns, so it lies there when undici writes the request for which this connection was made.
  if (connections !== 2) return;
  answered[0]?.writeHead(429, { 'retry-after': '60' }).end();
  standStill(20);
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const listening = server.address();
const port = typeof listening === 'object' ? listening?.port : undefined;
const settings = { key: ApiKey.from(CANARY), header: 'API-KEY', fetch, now: Date.now };
const http = createHttp({ ...settings, deadlineMs: 30_000, maxBodyBytes: 1_000 });

async function send(method: 'GET' | 'POST') {
  const body = method === 'POST' ? { body: '{}' } : {};
  const sent = await http.send(
    { method, address: `https://127.0.0.1:${port}/`, ...body },
    ({ status }) => {
      if (status === 429) http.holdBack();
    },
  );
  return sent.kind === 'answer' ? sent.status : sent.networkCode;
}

const first = send('GET');
await once(server, 'request');
const became = await Promise.all([first, send('GET'), send('POST')]);
const early = answered.length - 1;
while (connections < 3) await new Promise(setImmediate);
const later = await Promise.all([send('GET'), send('POST')]);
process.stdout.write(JSON.stringify({ became, early, later, connections }));
process.exit();
