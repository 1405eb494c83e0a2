import { readFileSync } from 'node:fs';
import { copyFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkBuild } from '../../infra/build/built-sources.ts';
import manifest from '../../package.json' with { type: 'json' };
import { type Installation, install, ROOT, SHOP_FUNCTIONS } from './consumer-app.ts';

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Several checkers would check the same again, beside the other tests. */
const ALONE = '--singleThreaded';
/** As `cdk init` and `tsc --init` set them. */
const STRICT = '--noEmit --strict --skipLibCheck --exactOptionalPropertyTypes --target es2022';

let installation: Installation;
beforeAll(async () => {
  checkBuild();
  installation = await install(['esbuild', '@types/node', '@aws-lambda-powertools/idempotency']);
});
afterAll(() => installation?.remove());

test('the test of an app made by cdk init passes, with two integrations and a function of its own', async () => {
  const { node } = installation.app('cdk-app', { functions: SHOP_FUNCTIONS });

  await node(JEST);
});

test.each(['export-app', 'own-functions'])(
  'the example %s fits the types of the package, and its tests pass',
  async (name) => {
    const { directory, node } = installation.app(name, { from: 'examples' });
    await writeFile(join(directory, 'package-lock.json'), '{}');

    expect(await node(TSC, ALONE)).toBe('');
    expect(await node('--test', 'test/*.test.ts')).toContain('fail 0');
  },
);

test('an app of ES modules gets all entries, and the same construct as by require', async () => {
  const { node } = installation.app('es-modules');

  expect(JSON.parse(await node('app.js'))).toEqual({
    loaded: ['function', 'function', 'function', 'function'],
    functions: true,
    oneCopyOfTheConstruct: true,
    version: manifest.version,
    schema: 'string',
  });
});

test('an app in CommonJS without require of ES modules gets all entries, which share their classes', async () => {
  const { node } = installation.app('commonjs');

  expect(JSON.parse(await node('--no-experimental-require-module', 'app.js'))).toEqual({
    isSharedError: true,
    url: expect.stringMatching(/^https:/),
  });
});

test.each([
  ['nodenext, ES modules and CommonJS', '--module nodenext app.mts app.cts'],
  ['bundler', '--module esnext --moduleResolution bundler app.mts'],
])('all entries have types for module resolution %s', async (_, options) => {
  const { directory, node } = installation.app('types');
  await copyFile(join(directory, 'app.mts'), join(directory, 'app.cts'));

  expect(await node(TSC, ALONE, ...STRICT.split(' '), ...options.split(' '))).toBe('');
});

test('publint finds nothing', async () => {
  const { buffer } = readFileSync(installation.tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(buffer).buffer },
    strict: true,
  });

  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});
