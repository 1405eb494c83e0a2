import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { FunctionProcess } from '../../../../infra/local/lambda/function-process.ts';

const taskRoot = mkdtempSync(join(tmpdir(), 'function-process-'));

afterAll(() => rmSync(taskRoot, { recursive: true }));

beforeAll(() => {
  writeFileSync(join(taskRoot, 'index.mjs'), 'export const handler = async () => "done";');
});

const OLD_SIZE = { NODE_OPTIONS: '--max-old-space-size=150' };
const YOUNG_SIZE = { NODE_OPTIONS: '--max_semi_space_size=8' };

const definition = {
  name: 'probe',
  taskRoot,
  handler: 'index.handler',
  memoryMb: 128,
  timeoutSeconds: 10,
};
const message = { requestId: 'request', payload: '{}', deadlineMs: 0 };

test('leaves what was compiled to the next process, although this one is killed', async () => {
  const cache = join(taskRoot, 'compile-cache');
  const started = new FunctionProcess(definition, { NODE_COMPILE_CACHE: cache }, () => {});
  expect(await started.initialized).toBeUndefined();
  expect(await started.invoke(message)).toEqual({ kind: 'returned', payload: '"done"' });
  await started.kill();

  const compiled = readdirSync(cache, { recursive: true, withFileTypes: true });
  // The runtime, its TypeScript without the types, and the handler.
  expect(compiled.filter((entry) => entry.isFile()).length).toBeGreaterThanOrEqual(2);
});

/** In MB: both generations together, of which the young one has up to 192. */
const SHOWS_LIMIT = `import { getHeapStatistics } from 'node:v8';
export const handler = async () => Math.round(getHeapStatistics().heap_size_limit / 2 ** 20);
`;

test.each([
  { limited: 'by its memory', environment: {}, memoryMb: 512, least: 461, most: 700 },
  { limited: 'as it is set', environment: OLD_SIZE, memoryMb: 512, least: 150, most: 400 },
  {
    limited: "by V8's default where only the other size is set",
    environment: YOUNG_SIZE,
    memoryMb: 150,
    least: 500,
    most: 1e6,
  },
])('has a heap that is limited $limited, as on Lambda', async (each) => {
  writeFileSync(join(taskRoot, 'limit.mjs'), SHOWS_LIMIT);
  const limited = { ...definition, handler: 'limit.handler', memoryMb: each.memoryMb };
  const started = new FunctionProcess(limited, each.environment, () => {});

  const outcome = await started.invoke(message);
  await started.kill();

  const limitMb = outcome.kind === 'returned' ? Number(outcome.payload) : 0;
  expect(limitMb).toBeGreaterThanOrEqual(each.least);
  expect(limitMb).toBeLessThan(each.most);
});

test('says how a process ended that was killed just before it was invoked', async () => {
  const started = new FunctionProcess(definition, {}, () => {});
  await started.initialized;
  process.kill(started.child.pid ?? 0, 'SIGKILL');
  // It is gone, and nobody could hear of it yet.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200);

  const outcome = await started.invoke(message);

  expect(outcome).toMatchObject({ kind: 'failed', error: { errorType: 'Runtime.ExitError' } });
});

/** As where a thread of V8 keeps `process.exit` from returning. */
const CANNOT_EXIT = `process.exit = () => {};
export const handler = () => { void Promise.reject(new Error('nobody listens')); return new Promise(() => {}); };
`;

test('ends a process that has crashed and cannot exit by itself', async () => {
  writeFileSync(join(taskRoot, 'stays.mjs'), CANNOT_EXIT);
  const logged: string[] = [];
  const stays = { ...definition, handler: 'stays.handler', timeoutSeconds: 900 };
  const started = new FunctionProcess(stays, {}, ({ line }) => logged.push(line));

  const outcome = await started.invoke(message);

  const error = { errorType: 'Runtime.UnhandledPromiseRejection', errorMessage: 'nobody listens' };
  expect(outcome).toMatchObject({ kind: 'failed', error });
  expect(started.alive).toBe(false);
  expect(logged).toEqual(['Runtime.UnhandledPromiseRejection: nobody listens']);
});

test('a process whose host is gone ends, also where it cannot exit', async () => {
  writeFileSync(join(taskRoot, 'stays.mjs'), CANNOT_EXIT);
  const started = new FunctionProcess({ ...definition, handler: 'stays.handler' }, {}, () => {});
  await started.initialized;
  const ended = once(started.child, 'exit');

  started.child.disconnect();

  expect(await ended).toEqual([null, 'SIGKILL']);
});
