import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { expect, test } from '@jest/globals';
import { createStoredReader } from '../../../functions/aws/stored-reader.ts';
import { listen } from './local-server.ts';
import { clientFor } from './test-clients.ts';

const BODY = Buffer.alloc(300_000, 'x');

/** Reads an object of a server that sends only so many bytes of it, or answers another status. */
async function readFrom(sentBytes: number, status = 200) {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'Content-Length': BODY.length });
    response.write(BODY.subarray(0, sentBytes));
    if (sentBytes === BODY.length) response.end();
    else setImmediate(() => response.destroy());
  });
  const { url, close } = await listen(server);
  const client = new S3Client({ ...clientFor(url), forcePathStyle: true, maxAttempts: 1 });
  let bytes = 0;
  try {
    for await (const piece of createStoredReader(client, 'bucket')('a/key')) bytes += piece.length;
    return { bytes };
  } catch (error) {
    return { bytes, error };
  } finally {
    client.destroy();
    await close();
  }
}

test('reads an object piece by piece', async () => {
  expect(await readFrom(BODY.length)).toEqual({ bytes: BODY.length });
});

test('fails where the object ends too early, and does not take that for its end', async () => {
  const { bytes, error } = await readFrom(100_000);
  expect(bytes).toBeLessThanOrEqual(100_000);
  expect(error).toMatchObject({ code: 'AWS_CALL_FAILED', operation: 'S3 GetObject' });
});

test('fails when there is no object', async () => {
  const { error } = await readFrom(BODY.length, 404);
  expect(error).toMatchObject({ code: 'AWS_CALL_FAILED', status: 404 });
});
