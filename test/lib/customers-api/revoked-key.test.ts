import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { createServer as createDoor, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { createCertificates } from '../../../infra/simulator/certificate.ts';
import { createCustomersClient } from '../../../lib/customers-api/client.ts';
import { trust } from '../../trust.ts';
import { until } from '../../until.ts';
import { CANARY } from './simulated-api.ts';

const UNDER_WAY = 5;
const REJECTED = { kind: 'authentication-failure', status: 401 };

test('after the first answer that a key is revoked nothing leaves, whatever was asked for before', async () => {
  const { caPem, certificatePem, privateKeyPem } = await createCertificates(Date.now());
  trust(caPem);
  const held: ServerResponse[] = [];
  const server = createServer({ key: privateKeyPem, cert: certificatePem }, (_, response) => {
    held.push(response);
    if (isShut) response.writeHead(401).end();
  });
  // Connections that are made while the door is shut get no answer to their handshake.
  const atTheDoor: Socket[] = [];
  let isShut = false;
  const sockets: Socket[] = [];
  const door = createDoor((socket) => {
    sockets.push(socket);
    if (isShut) atTheDoor.push(socket);
    else server.emit('connection', socket);
  });
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const address = door.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const client = createCustomersClient({ baseUrl: `https://127.0.0.1:${port}`, key: CANARY });
  try {
    const underWay = Array.from({ length: UNDER_WAY }, (_, index) => client.listPage(index + 1));
    await until('all requests', () => held.length >= UNDER_WAY, { everyMs: 0 });
    isShut = true;
    const late = [
      client.listPage(8),
      client.read({ resource: 'customers/1' }),
      client.write({ method: 'POST', resource: 'customers', body: {} }),
      client.write({ method: 'DELETE', resource: 'customers/2' }),
    ];
    await until('all connections', () => atTheDoor.length >= late.length, { everyMs: 0 });
    held[0]?.writeHead(401).end();
    expect(await Promise.race(underWay)).toMatchObject(REJECTED);

    const asked = [client.listPage(9), client.read({ resource: 'customers/3' })];
    // The connections are made all the same, where undici has not given them up, and must bring nothing.
    const arrived = atTheDoor.map((socket) => {
      const isThere = Promise.race([once(server, 'secureConnection'), once(socket, 'close')]);
      server.emit('connection', socket);
      return isThere;
    });
    for (const outcome of await Promise.all([...late, ...asked])) {
      expect(outcome).toMatchObject(REJECTED);
    }
    await Promise.all(arrived);
    await new Promise(setImmediate);
    for (const response of held.slice(1, UNDER_WAY)) response.writeHead(401).end();
    await Promise.all(underWay);
    expect(held.length).toBe(UNDER_WAY);
  } finally {
    door.close();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  }
});
