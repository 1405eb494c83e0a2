import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from '@jest/globals';
import { requireFreePort } from '../../../infra/command-line/port.ts';

async function listening(port: number) {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return { server, port: typeof address === 'object' ? (address?.port ?? 0) : 0 };
}

test('a port that is taken is refused by its name, and one that was tried is free afterwards', async () => {
  const { server, port } = await listening(0);
  await expect(requireFreePort('--port', port)).rejects.toThrow(
    `--port: ${port} is used by another program. Choose another one, or 0 for any free one.`,
  );
  await once(server.close(), 'close');

  await requireFreePort('--port', port);
  const again = await listening(port);
  await once(again.server.close(), 'close');
  await requireFreePort('--port', 0);
});
