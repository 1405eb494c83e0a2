import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { startLine } from './line.ts';

const ROUND_TRIP_MS = 40;
const PIECES = 20;

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

test('a line takes its round trip, once more before the first bytes, and keeps their order', async () => {
  const echo = await portOf(createServer((socket) => socket.pipe(socket)));
  const socket = connect(await portOf(startLine(echo, ROUND_TRIP_MS)), '127.0.0.1');
  const beginMs = performance.now();
  const sent = Array.from({ length: PIECES }, (_, at) => `${at};`);
  let got = '';
  socket.once('data', () => socket.emit('first', performance.now() - beginMs));
  socket.on('data', (piece) => {
    got += String(piece);
    if (got.length === sent.join('').length) socket.end();
  });
  for (const piece of sent) socket.write(piece);
  const [firstMs] = await once(socket, 'first');
  await once(socket, 'close');

  expect(got).toBe(sent.join(''));
  // Timers count whole milliseconds.
  expect(firstMs).toBeGreaterThanOrEqual(2 * ROUND_TRIP_MS - 2);
});
