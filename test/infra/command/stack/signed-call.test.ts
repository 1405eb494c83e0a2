import { createServer } from 'node:http';
import { expect, test } from '@jest/globals';
import { CommandError } from '../../../../infra/command/command-error.ts';
import { signedCall } from '../../../../infra/command/stack/signed-call.ts';
import { listen } from '../../../functions/aws/local-server.ts';
import { sha256 } from './sha256.ts';

const signer = {
  region: async () => 'eu-central-1',
  credentials: { accessKeyId: 'somebody', secretAccessKey: 'secret' },
  sha256,
  signal: new AbortController().signal,
};

test('what a person has signed goes to one address, and to no other that this one names', async () => {
  const seen: string[] = [];
  const other = await listen(
    createServer(({ url = '' }, response) => {
      seen.push(url);
      response.end('{}');
    }),
  );
  const first = await listen(
    createServer((_, response) => {
      response.writeHead(307, { Location: `${other.url}/elsewhere` }).end();
    }),
  );
  const request = { method: 'POST', body: '{}', deadlineMs: 10_000, acts: true } as const;
  try {
    const call = signedCall(signer, 'lambda', new URL(first.url), request);

    await expect(call).rejects.toThrow(CommandError);
    expect(seen).toEqual([]);
  } finally {
    await Promise.all([first.close(), other.close()]);
  }
});

test.each([
  [
    'may have done what was asked for',
    true,
    'What you asked for may be done all the same: look before you ask again.',
  ],
  ['has done nothing where nothing was to be done', false, 'Check the network, and --region.'],
])('who does not answer in time %s', async (_, acts, advice) => {
  const { url, close } = await listen(createServer(() => {}));
  const call = signedCall(signer, 'sts', new URL(url), { method: 'POST', deadlineMs: 20, acts });

  await expect(call).rejects.toMatchObject({
    message: `${url} did not answer within 0.02 s. ${advice}`,
    isPassing: true,
  });
  await close();
});
