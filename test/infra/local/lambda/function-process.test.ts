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

const definition = {
  name: 'probe',
  taskRoot,
  handler: 'index.handler',
  memoryMb: 128,
  timeoutSeconds: 10,
};
const message = {
  kind: 'invoke',
  requestId: 'request',
  payload: '{}',
  deadlineMs: 0,
  functionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:probe',
  traceId: 'Root=1',
} as const;

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
