// A program, since jest hides what sends the requests of Node's fetch: holds back two requests while their connections
// are being made, then sends three, and prints how many of all were told to leave and arrived, on how many connections.
import { subscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { createHttp } from '../../../lib/customers-api/http.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { trust } from '../../trust.ts';
import { CANARY } from './simulated-api.ts';

const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
trust(caPem);
const waiting: ServerResponse[] = [];
let [begun, connections, leaving] = [0, 0, 0];
const server = createServer({ key: privateKeyPem, cert: certificatePem }, (_request, response) => {
  waiting.push(response);
});
const [making, made] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
subscribe('undici:client:beforeConnect', () => {
  begun++;
  if (begun === 3) making.resolve();
});
subscribe('undici:client:connected', () => {
  connections++;
  if (connections === 3) made.resolve();
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const listening = server.address();
const port = typeof listening === 'object' ? listening?.port : undefined;
const address = `https://127.0.0.1:${port}/`;
const settings = { key: ApiKey.from(CANARY), header: 'API-KEY', fetch, now: Date.now };
const http = createHttp({ ...settings, deadlineMs: 30_000, maxBodyBytes: 1_000 });
const onLeave = () => {
  leaving++;
};
const send = () => http.send({ method: 'GET', address, onLeave }, () => {});

const left = send();
await once(server, 'request');
const held = [send(), send()];
await making.promise;
http.holdBack();
await Promise.all(held);
await made.promise;
await nextTurn();
waiting[0]?.end('{}');
await left;
const later = [send(), send(), send()];
while (waiting.length < 4) await once(server, 'request');
for (const response of waiting) response.end('{}');
await Promise.all(later);
process.stdout.write(JSON.stringify({ leaving, requests: waiting.length, connections }));
process.exit();
