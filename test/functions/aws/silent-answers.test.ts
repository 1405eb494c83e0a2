import { createServer } from 'node:http';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { expect, test } from '@jest/globals';
import { callAws } from '../../../functions/aws/call-aws.ts';
import {
  clientSettings,
  presigningClientSettings,
  storeClientSettings,
} from '../../../functions/aws/client-settings.ts';
import { LONGEST_CALL_MS } from '../../../lib/gate/record-in-gate.ts';
import { listen } from './local-server.ts';
import { clientFor } from './test-clients.ts';

/** The same limits, a hundred times as short. */
function hurried(settings: { readonly requestHandler: object }) {
  const limits = Object.entries(settings.requestHandler).map(([name, value]) => [
    name,
    typeof value === 'number' ? value / 100 : value,
  ]);
  return { ...settings, requestHandler: Object.fromEntries(limits) };
}

test.each([
  ['the usual settings', clientSettings()],
  ['those of the store', storeClientSettings()],
  ['those that sign URLs', presigningClientSettings()],
])('with %s an answer that falls silent in the middle ends its call', async (_, settings) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'Content-Length': 10 });
    response.write('half');
  });
  const { url, close } = await listen(server);
  const client = new S3Client({ ...clientFor(url), ...hurried(settings), forcePathStyle: true });
  const read = callAws('S3 GetObject', async () => {
    const { Body: body } = await client.send(new GetObjectCommand({ Bucket: 'b', Key: 'k' }));
    return body?.transformToString();
  });
  await expect(read).rejects.toMatchObject({ code: 'AWS_CALL_FAILED', awsCode: 'TimeoutError' });
  client.destroy();
  await close();
});

test('a call that hangs ends within the time that a wait is recorded with', () => {
  const { maxAttempts, requestHandler } = clientSettings();
  expect(maxAttempts * requestHandler.requestTimeout).toBeLessThan(LONGEST_CALL_MS);
});
