import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { FunctionProcess } from '../../../../infra/local/lambda/function-process.ts';

const taskRoot = mkdtempSync(join(tmpdir(), 'function-process-'));

afterAll(() => rmSync(taskRoot, { recursive: true }));

test('leaves what was compiled to the next process, although this one is killed', async () => {
  writeFileSync(join(taskRoot, 'index.mjs'), 'export const handler = async () => "done";');
  const definition = {
    name: 'probe',
    taskRoot,
    handler: 'index.handler',
    memoryMb: 128,
    timeoutSeconds: 10,
  };
  const cache = join(taskRoot, 'compile-cache');
  const started = new FunctionProcess(definition, { NODE_COMPILE_CACHE: cache }, () => {});
  expect(await started.initialized).toBeUndefined();
  const message = {
    kind: 'invoke',
    requestId: 'request',
    payload: '{}',
    deadlineMs: 0,
    functionArn: 'arn:aws:lambda:eu-west-1:000000000000:function:probe',
    traceId: 'Root=1',
  } as const;
  expect(await started.invoke(message)).toEqual({ kind: 'returned', payload: '"done"' });
  await started.kill();

  const compiled = readdirSync(cache, { recursive: true, withFileTypes: true });
  // The runtime, its TypeScript without the types, and the handler.
  expect(compiled.filter((entry) => entry.isFile()).length).toBeGreaterThanOrEqual(2);
});
