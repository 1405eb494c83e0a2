import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { afterEach, expect, test } from '@jest/globals';
import { CommandError } from '../../../../infra/command/command-error.ts';
import { signedCall } from '../../../../infra/command/stack/signed-call.ts';

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

async function serverAt(answer: RequestListener): Promise<URL> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(() => server.close().closeAllConnections());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return new URL(`http://127.0.0.1:${port}/`);
}

const signer = {
  region: async () => 'eu-central-1',
  credentials: { accessKeyId: 'somebody', secretAccessKey: 'secret' },
  signal: new AbortController().signal,
};

test('what a person has signed goes to one address, and to no other that this one names', async () => {
  const seen: string[] = [];
  const other = await serverAt(({ url = '' }, response) => {
    seen.push(url);
    response.end('{}');
  });
  const url = await serverAt((_, response) => {
    response.writeHead(307, { Location: `${other}elsewhere` }).end();
  });
  const request = { method: 'POST', body: '{}', deadlineMs: 10_000 } as const;

  await expect(signedCall(signer, 'lambda', url, request)).rejects.toThrow(CommandError);
  expect(seen).toEqual([]);
});
