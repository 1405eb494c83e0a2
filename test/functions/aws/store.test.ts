import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { startFauxqs } from 'fauxqs';
import { storeClientSettings } from '../../../functions/aws/client-settings.ts';
import { createStore } from '../../../functions/aws/store.ts';
import type { ObjectAbout } from '../../../lib/exports/ports.ts';
import { startAnswerLosingProxy } from './answer-losing-proxy.ts';
import { startConditionalS3 } from './conditional-s3.ts';
import { listen } from './local-server.ts';
import { clientFor } from './test-clients.ts';

let engine: Awaited<ReturnType<typeof startFauxqs>>;
let conditional: Awaited<ReturnType<typeof startConditionalS3>>;
let proxy: Awaited<ReturnType<typeof startAnswerLosingProxy>>;
const clients: S3Client[] = [];
beforeAll(async () => {
  engine = await startFauxqs({ port: 0, host: '127.0.0.1', logger: false });
  engine.createBucket('bucket');
  conditional = await startConditionalS3();
  proxy = await startAnswerLosingProxy(conditional.url);
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await proxy.close();
  await conditional.close();
  await engine.stop();
});

function storeAt(endpoint: string) {
  const client = new S3Client({ ...clientFor(endpoint), ...storeClientSettings() });
  clients.push(client);
  return createStore(client, 'bucket');
}

const storeOnEngine = () => storeAt(`http://127.0.0.1:${engine.port}`);
const storeWithConditions = () => storeAt(proxy.url);

/** Without the SDK, which takes seconds for a thousand objects on a busy machine; a few at a time. */
async function putThere(keys: readonly string[]): Promise<void> {
  const left = [...keys];
  const putAll = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) {
      const path = key.split('/').map(encodeURIComponent).join('/');
      const url = `http://127.0.0.1:${engine.port}/bucket/${path}`;
      const answer = await fetch(url, { method: 'PUT', body: '1' });
      expect(answer.status).toBe(200);
      await answer.arrayBuffer();
    }
  };
  await Promise.all(Array.from({ length: 10 }, putAll));
}

function json(text: string): [Uint8Array, ObjectAbout] {
  const body = Buffer.from(text);
  const sha256 = createHash('sha256').update(body).digest('hex');
  return [body, { contentType: 'application/json', sha256 }];
}

test('reads what was stored, and nothing where nothing is', async () => {
  const store = storeOnEngine();

  await store.put('exports/a.json', ...json('{"name":"Zoë"}'));

  expect(await store.read('exports/a.json')).toMatchObject({ text: '{"name":"Zoë"}' });
  expect(await store.read('exports/b.json')).toBeUndefined();
});

test('reads some bytes of an object, and fails where there is none', async () => {
  const store = storeOnEngine();
  await store.put('bytes/1', ...json('0123456789'));

  expect(Buffer.from(await store.readBytes('bytes/1', 3, 7)).toString()).toBe('3456');
  expect(Buffer.from(await store.readBytes('bytes/1', 0, 10)).toString()).toBe('0123456789');
  await expect(store.readBytes('bytes/2', 0, 1)).rejects.toMatchObject({ awsCode: 'NoSuchKey' });
});

test('lists and deletes more keys than one call takes', async () => {
  const store = storeOnEngine();
  const keys = Array.from({ length: 1_001 }, (_, n) => `many/${String(n).padStart(5, '0')} <&>.gz`);
  await putThere(keys);
  await store.put('other/1', ...json('1'));
  const listed = await store.list('many/');
  expect(listed.map(({ key }) => key).sort()).toEqual(keys);

  await store.delete([...keys, 'many/never-there']);

  expect(await store.list('many/')).toEqual([]);
  expect(await store.list('other/')).toMatchObject([{ key: 'other/1' }]);
  await store.delete([]);
}, 120_000); // a thousand requests to the engine, on whatever machine

test('lists the size and the version of an object as they were stored', async () => {
  const store = storeOnEngine();
  const version = await store.put('parts/1', ...json('{"id":1}'));
  expect(await store.list('parts/')).toEqual([{ key: 'parts/1', bytes: 8, version }]);

  await store.put('parts/1', ...json('{"id":2}'));

  const [other] = await store.list('parts/');
  expect(other?.bytes).toBe(8);
  expect(other?.version).not.toBe(version);
});

test('replaces an object only at the expected version', async () => {
  const store = storeWithConditions();
  expect(await store.replace('k1', ...json('1'), undefined)).toBe('replaced');
  expect(await store.replace('k1', ...json('2'), undefined)).toBe('changed');
  const first = await store.read('k1');

  expect(await store.replace('k1', ...json('2'), first?.version)).toBe('replaced');
  expect(await store.replace('k1', ...json('3'), first?.version)).toBe('changed');
  expect(await store.replace('k-none', ...json('3'), first?.version)).toBe('changed');

  expect((await store.read('k1'))?.text).toBe('2');
});

test('recognizes its own replacement whose answer was lost', async () => {
  const store = storeWithConditions();
  proxy.loseNext();
  expect(await store.replace('k2', ...json('1'), undefined)).toBe('replaced');
  const first = await store.read('k2');
  proxy.loseNext();
  expect(await store.replace('k2', ...json('2'), first?.version)).toBe('replaced');
});

test('lets one of 30 simultaneous replacements win', async () => {
  const store = storeWithConditions();

  const results = await Promise.all(
    Array.from({ length: 30 }, (_, index) => store.replace('k3', ...json(`${index}`), undefined)),
  );

  expect(results.filter((result) => result === 'replaced')).toHaveLength(1);
  expect((await store.read('k3'))?.text).toBe(String(results.indexOf('replaced')));
});

test('repeats while conditional writes meet, and gives up after five', async () => {
  const store = storeWithConditions();
  conditional.conflictNext(4);
  expect(await store.replace('k4', ...json('1'), undefined)).toBe('replaced');
  conditional.conflictNext(5);
  await expect(store.replace('k5', ...json('1'), undefined)).rejects.toMatchObject({
    code: 'AWS_CALL_FAILED',
    awsCode: 'ConditionalRequestConflict',
    status: 409,
  });
});

test('sends the checksum, and says which of many keys was not deleted', async () => {
  const checksums: unknown[] = [];
  const deleted: number[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    checksums.push(request.headers['x-amz-checksum-sha256']);
    if (request.method === 'POST') deleted.push(body.split('<Key>').length - 1);
    const error = '<Error><Key>a</Key><Code>AccessDenied</Code></Error>';
    const refused = body.includes('<Key>refused</Key>') ? error : '';
    response.setHeader('ETag', '"v1"').end(`<DeleteResult>${refused}</DeleteResult>`);
  });
  const { url, close } = await listen(server);
  const store = storeAt(url);

  const [body, about] = json('{}');
  await store.put('a', body, about);
  await store.delete(Array.from({ length: 1_001 }, (_, at) => `${at}`));
  await expect(store.delete(['a', 'refused'])).rejects.toMatchObject({ awsCode: 'AccessDenied' });
  await store.delete([]);

  expect(checksums[0]).toBe(Buffer.from(about.sha256, 'hex').toString('base64'));
  expect(deleted).toEqual([1_000, 1, 2]);
  await close();
});
