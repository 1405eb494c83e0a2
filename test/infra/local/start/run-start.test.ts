import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { runStart } from '../../../../infra/local/start/run-start.ts';
import { synthesize } from '../../../../infra/local/start/synthesize.ts';
import { sampleSurroundings } from '../../command/sample-surroundings.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'run-start-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function ran(failure: unknown, ...more: readonly string[]) {
  const environment = {
    get CUSTOMERS_API_KEY(): string {
      throw failure;
    },
  };
  const surroundings = sampleSurroundings({ environment });
  const args = ['--base-url', 'https://api.example.com', '--out', folder, ...more];
  return { code: await runStart(args, surroundings), stderr: surroundings.said.stderr };
}

test('what nobody foresaw is told in one line, and is no wrong usage', async () => {
  expect(await ran(new TypeError('x is\nnot'))).toEqual({
    code: 1,
    stderr: 'Unexpectedly failed: TypeError: x is\n',
  });
});

test('a stack that cannot be synthesized is no wrong usage', async () => {
  const { NODE_OPTIONS } = process.env;
  process.env['NODE_OPTIONS'] = '--no-such-option';
  try {
    const failure: unknown = await synthesize({}, folder, new AbortController().signal).catch(
      (error: unknown) => error,
    );
    expect(await ran(failure)).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^The stack could not be synthesized:\n.*--no-such-option/),
    });
  } finally {
    delete process.env['NODE_OPTIONS'];
    Object.assign(process.env, NODE_OPTIONS === undefined ? {} : { NODE_OPTIONS });
  }
});

test('a port that is taken is told before anybody is asked for the key and anything is synthesized', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = String(typeof address === 'object' ? address?.port : 0);
  const asked = new Error('asked for the key');

  expect(await ran(asked, '--serve', '--port', port)).toEqual({
    code: 2,
    stderr: `--port: ${port} is used by another program. Choose another one, or 0 for any free one.\n`,
  });
  await once(other.close(), 'close');
});

const KEY = 'canary-key-4711';
const OPERATION = { name: 'a', method: 'POST', resource: 'customers', acceptsIdempotencyKey: true };

test.each([
  ['operations.json', { ...OPERATION, resource: `customers/${KEY}` }, '--operations.0.resource'],
  [`${KEY}.json`, OPERATION, '--operations'],
])('a key in the file of operations %s is told by its place there', async (name, own, place) => {
  const file = join(folder, name);
  await writeFile(file, JSON.stringify([own]));
  const surroundings = sampleSurroundings({ environment: { CUSTOMERS_API_KEY: KEY } });
  const args = ['--base-url', 'https://api.example.com', '--out', folder];

  expect(await runStart([...args, '--serve', '--operations', file], surroundings)).toBe(2);
  expect(surroundings.said.stderr).toBe(
    `${place}: holds the key. Take it out, and consider the key exposed\n`,
  );
});
