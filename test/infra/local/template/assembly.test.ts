import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { readAssembly } from '../../../../infra/local/template/assembly.ts';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'assembly-test-'));
});

afterEach(() => rmSync(directory, { recursive: true }));

const write = (file: string, content: unknown) =>
  writeFileSync(join(directory, file), JSON.stringify(content));

const stack = (environment: string) => ({
  type: 'aws:cloudformation:stack',
  environment,
  properties: { templateFile: 'a.template.json', stackName: 'named' },
});

test('reads the stack, and where the app binds it to', () => {
  write('manifest.json', { artifacts: { A: stack('aws://111122223333/eu-west-1') } });
  write('a.template.json', { Resources: {} });
  expect(readAssembly(directory)).toMatchObject({
    stackName: 'named',
    region: 'eu-west-1',
    accountId: '111122223333',
  });
});

test('knows no region and account of an environment-agnostic stack', () => {
  write('manifest.json', { artifacts: { A: stack('aws://unknown-account/unknown-region') } });
  write('a.template.json', { Resources: {} });
  expect(readAssembly(directory)).toMatchObject({ region: undefined, accountId: undefined });
});

test('names the file that is missing', () => {
  expect(() => readAssembly(directory)).toThrow(
    /manifest\.json is missing: synthesize the app first/,
  );
  write('manifest.json', { artifacts: { A: stack('aws://a/b') } });
  expect(() => readAssembly(directory)).toThrow(/a\.template\.json is missing/);
});

test('names the file and the member that have another shape', () => {
  write('manifest.json', { artifacts: { A: { type: 1 } } });
  expect(() => readAssembly(directory)).toThrow(/manifest\.json: artifacts\.A\.type: /);
});

test('runs one stack, and names the ones it got', () => {
  write('manifest.json', { artifacts: { A: stack('aws://a/b'), B: stack('aws://a/b') } });
  expect(() => readAssembly(directory)).toThrow(/one stack expected .* got A, B/);
});
