import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { createUsageMeter } from '../../../../infra/local/endpoint/usage.ts';
import { FunctionHost } from '../../../../infra/local/lambda/function-host.ts';
import { troubleIn } from '../../../../infra/local/start/progress.ts';
import { sampleDefinition } from './sample-definition.ts';

const taskRoot = mkdtempSync(join(tmpdir(), 'function-host-'));
afterAll(() => rmSync(taskRoot, { recursive: true }));

test.each([
  ['cannot be loaded', 'import "not-there";', /^worker: The function ended \(Error: .*not-there/],
  [
    'runs out of time',
    'export const handler = () => new Promise(() => setInterval(() => {}, 1000));',
    /^worker: The function ended \(Sandbox\.Timedout: RequestId: \S+ Error: Task timed out after 0\.10 seconds\)/,
  ],
  [
    'exits',
    'export const handler = () => process.exit(3);',
    /^worker: The function ended \(Runtime\.ExitError: .* Runtime exited with error: exit status 3\)/,
  ],
])('the log of a function that %s says so', async (name, code, told) => {
  const definition = {
    ...sampleDefinition,
    ...{
      taskRoot,
      handler: `${name.replaceAll(' ', '-')}.handler`,
      timeoutSeconds: name === 'runs out of time' ? 0.1 : 10,
    },
  };
  writeFileSync(join(taskRoot, definition.handler.replace('.handler', '.mjs')), code);
  const troubles: string[] = [];
  const host = new FunctionHost({
    environment: {
      ...{ region: 'eu-west-1', endpointUrl: 'http://127.0.0.1:9', extra: {} },
      ...{ homeDirectory: taskRoot, compileCacheDirectory: join(taskRoot, 'compiled') },
    },
    meter: createUsageMeter(),
    mayLog: () => true,
    onLog: ({ functionName, line }) => {
      const trouble = troubleIn(functionName, line);
      if (trouble !== undefined) troubles.push(trouble);
    },
  });
  host.add(definition);
  try {
    expect(await host.invoke(definition, '{}')).toMatchObject({ kind: 'failed' });
    expect(troubles).toEqual([expect.stringMatching(told)]);
  } finally {
    await host.stop();
  }
  expect(troubles).toHaveLength(1);
});
