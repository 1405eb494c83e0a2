import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { s3RecordReader } from '../../../functions/aws/record-reader.ts';
import { COMPRESSIONS, endingOf } from '../../../lib/exports/compression.ts';
import { packed } from '../../unpacked.ts';

const LINES = 30_000;
const bucket = 'exports';
let engine: Awaited<ReturnType<typeof startFauxqs>>;

beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket(bucket);
  const endpoint = `http://127.0.0.1:${engine.port}`;
  Object.assign(process.env, {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_S3: endpoint,
  });
  for (const compression of COMPRESSIONS) {
    const part = packed(compression, text(LINES));
    await put(`part${endingOf(compression)}`, part);
    await put(`damaged${endingOf(compression)}`, part.subarray(0, -9));
  }
  await put('members.ndjson.gz', Buffer.concat([gzipSync(text(2)), gzipSync('{"id":"ü"}\n')]));
});
afterAll(() => engine.stop());

const lineOf = (line: number) => `{"id":${line},"name":"${'ä€'.repeat(line % 40)}"}`;
const text = (lines: number) =>
  Array.from({ length: lines }, (_, index) => `${lineOf(index + 1)}\n`).join('');

async function put(key: string, body: Uint8Array): Promise<void> {
  const url = `http://127.0.0.1:${engine.port}/${bucket}/${key}`;
  await (await fetch(url, { method: 'PUT', body: new Uint8Array(body) })).arrayBuffer();
}

const read = (key: string, line: number) => s3RecordReader()({ bucket, key, line });

test.each([1, 2, 777, 15_000, LINES])('reads line %i, wherever pieces of it end', async (line) => {
  for (const compression of COMPRESSIONS) {
    expect(await read(`part${endingOf(compression)}`, line)).toBe(lineOf(line));
  }
});

test('reads a line of a later gzip member', async () => {
  expect(await read('members.ndjson.gz', 3)).toBe('{"id":"ü"}');
});

test('gives nothing for a line after the last one, and for a part that is gone', async () => {
  for (const compression of COMPRESSIONS) {
    expect(await read(`part${endingOf(compression)}`, LINES + 1)).toBeUndefined();
  }
  expect(await read('no-part.ndjson.gz', 1)).toBeUndefined();
});

test.each(COMPRESSIONS)(
  'fails for a part of %s that is damaged, and does not take that for its end',
  async (compression) => {
    const key = `damaged${endingOf(compression)}`;
    await expect(read(key, LINES + 1)).rejects.toThrow('unexpected end of file');
  },
);
