import { once } from 'node:events';
import { stat } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { systemClock } from '../../../functions/aws/clock-and-random.ts';
import { standStill } from '../../stand-still.ts';

test('a time that was over while the process stood still is over once what has come is read', async () => {
  const accepted = Promise.withResolvers<Socket>();
  const server = createServer(accepted.resolve).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const reader = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, '127.0.0.1');
  const writer = await accepted.promise;
  const order: string[] = [];
  reader.on('data', () => order.push('answer'));

  await new Promise<void>((resolve) => {
    // After this callback the event loop comes to its timers before it looks at the sockets.
    stat('.', () => {
      const over = systemClock.sleep(1, new AbortController().signal);
      writer.write('429');
      standStill(5);
      void over.then(() => order.push('over')).then(() => resolve());
    });
  });

  expect(order).toEqual(['answer', 'over']);
  reader.destroy();
  server.close();
});

test('a sleep ends at once where nobody waits for it any more', async () => {
  await systemClock.sleep(60_000, AbortSignal.abort());
});
