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
