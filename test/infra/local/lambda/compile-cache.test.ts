import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { compileCacheIn, removeUnusedCode } from '../../../../infra/local/lambda/compile-cache.ts';
import { functionEnvironment } from '../../../../infra/local/lambda/function-environment.ts';
import { FunctionProcess } from '../../../../infra/local/lambda/function-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'compile-cache-'));
const kept = join(folder, 'kept');

afterAll(() => rmSync(folder, { recursive: true }));

/** A function of a stack in a folder of its own is loaded, and says what it sees of the cache. */
async function load(stack: string, directory = kept): Promise<string> {
  const workDirectory = join(folder, stack);
  const taskRoot = join(workDirectory, 'functions/probe');
  mkdirSync(taskRoot, { recursive: true });
  const code =
    'export const handler = async () => Object.keys(process.env).filter((name) => /CACHE/.test(name));';
  writeFileSync(join(taskRoot, 'index.mjs'), code);
  const definition = {
    ...{ logicalId: 'Probe', name: 'probe', arn: 'arn', taskRoot, handler: 'index.handler' },
    ...{ variables: {}, memoryMb: 128, timeoutSeconds: 10, logGroup: '/probe' },
    deadLetterArn: undefined,
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
  };
  const environment = functionEnvironment(definition, {
    ...{ region: 'eu-west-1', endpointUrl: 'http://127.0.0.1:1', extra: {} },
    homeDirectory: workDirectory,
    compileCacheDirectory: await compileCacheIn(workDirectory, directory),
  });
  const started = new FunctionProcess(definition, environment, () => {});
  expect(await started.initialized).toBeUndefined();
  const outcome = await started.invoke({
    ...{ requestId: 'request', payload: '{}', deadlineMs: 0 },
  });
  await started.kill();
  return outcome.kind === 'returned' ? outcome.payload : JSON.stringify(outcome);
}

function compiledFiles(): readonly (readonly [name: string, writtenMs: number])[] {
  return readdirSync(kept, { recursive: true, encoding: 'utf8' })
    .map((name) => [name, statSync(join(kept, name))] as const)
    .filter(([, found]) => found.isFile())
    .map(([name, { mtimeMs }]) => [name, mtimeMs] as const)
    .toSorted(([a], [b]) => a.localeCompare(b));
}

test('functions of a later stack find compiled what those of an earlier one have loaded', async () => {
  expect(await load('first')).toBe('[]');
  const first = compiledFiles();
  expect(first.length).toBeGreaterThanOrEqual(2);

  await load('second');

  expect(compiledFiles()).toEqual(first);
});

test('the functions of a stack share what they compile where nothing can be kept', async () => {
  const file = join(folder, 'a-file');
  writeFileSync(file, '');

  expect(await load('third', file)).toBe('[]');

  expect(readdirSync(join(folder, 'third/compile-cache'))).toHaveLength(1);
  expect(readFileSync(file, 'utf8')).toBe('');
});

test('what was compiled and not used for 30 days is removed', () => {
  const directory = join(folder, 'cache');
  const nowMs = Date.now();
  const agoSeconds = (days: number) => nowMs / 1000 - days * 86_400;
  for (const name of ['compiled', 'compiled-functions', 'stripped', 'assemblies']) {
    mkdirSync(join(directory, name, 'v24'), { recursive: true });
    for (const [file, readDays] of [
      ['unused', 31],
      ['used', 29],
    ] as const) {
      const path = join(directory, name, 'v24', file);
      writeFileSync(path, '');
      utimesSync(path, agoSeconds(readDays), agoSeconds(40));
    }
  }
  removeUnusedCode(directory, nowMs);
  removeUnusedCode(join(folder, 'no-cache'), nowMs);

  const left = (name: string) => readdirSync(join(directory, name, 'v24'));
  expect(left('compiled')).toEqual(['used']);
  expect(left('compiled-functions')).toEqual(['used']);
  expect(left('stripped')).toEqual(['used']);
  expect(left('assemblies')).toHaveLength(2);
});
