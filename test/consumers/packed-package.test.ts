import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { checkBuild } from '../../infra/build/built-sources.ts';
import manifest from '../../package.json' with { type: 'json' };
import { amountOf, isDeep } from '../deep/depth.ts';
import { TYPED_CUSTOMERS } from '../docs/typed-customers.ts';
import { type Installation, install, ROOT, SHOP_FUNCTIONS } from './consumer-app.ts';

const JEST = join(ROOT, 'node_modules/jest/bin/jest.js');
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc');
/** Several checkers would check the same again, beside the other tests. */
const ALONE = '--singleThreaded';
let installation: Installation;
beforeAll(async () => {
  checkBuild();
  const schemas = ['arktype', 'zod'];
  const more = ['esbuild', '@types/node', '@aws-lambda-powertools/idempotency', ...schemas];
  installation = await install(more);
});
afterAll(() => installation?.remove());

test('the test of an app made by cdk init passes, with two integrations and a function of its own', async () => {
  const { node } = installation.app('cdk-app', { functions: SHOP_FUNCTIONS });

  await node(JEST);
});

test.each(isDeep ? ['export-app', 'own-functions'] : ['own-functions'])(
  'the tests of the example %s pass',
  async (name) => {
    // The app made by cdk init has a function bundled too.
    const { directory, node } = installation.app(name, { from: 'examples', isBundled: isDeep });
    await writeFile(join(directory, 'package-lock.json'), '{}');

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

/** All in one program, as most of its time is the CDK's types. Without strict options what needs no CDK is enough. */
const PROGRAMS = [
  { exactOptionalPropertyTypes: true, include: ['types', 'export-app', 'own-functions'] },
  { exactOptionalPropertyTypes: false, include: ['own-functions/lambda'] },
];

test.each(PROGRAMS.slice(0, amountOf({ short: 1, deep: 2 })))(
  'ES modules, CommonJS, the examples and typed customers fit the types: %j',
  async (given) => {
    const { exactOptionalPropertyTypes, include } = given;
    const types = installation.app('types').directory;
    await copyFile(join(types, 'app.mts'), join(types, 'app.cts'));
    installation.app('export-app', { from: 'examples' });
    const { directory, node } = installation.app('own-functions', { from: 'examples' });
    await writeFile(join(directory, 'lambda/typed-customers.ts'), TYPED_CUSTOMERS);
    const config = join(directory, '../tsconfig.json');
    const extending = { extends: './own-functions/tsconfig.json' };
    // The root of the CDK has the types of all services of AWS besides.
    const core = join(ROOT, 'node_modules/aws-cdk-lib/core/index.d.ts');
    const paths = isDeep ? {} : { 'aws-cdk-lib': [core] };
    const compilerOptions = { exactOptionalPropertyTypes, declaration: true, paths };
    await writeFile(config, JSON.stringify({ ...extending, compilerOptions, include }));

    const files = (await node(TSC, ALONE, '-p', config, '--listFiles')).split('\n');

    const own = include.flatMap((name) => sourcesIn(join(directory, '..', name)));
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((file) => !files.includes(file))).toEqual([]);
  },
);

test('the types of the client and of the simulator need no skipLibCheck', async () => {
  const { directory, node } = installation.app('es-modules');
  const names = ['customers-functions', 'customers-functions/testing'];
  await writeFile(
    join(directory, 'all.mts'),
    names.map((name) => `export * from '${name}';\n`).join(''),
  );
  const compilerOptions = {
    ...{ module: 'nodenext', target: 'es2022', types: ['node'], noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, skipLibCheck: false },
  };
  const config = join(directory, 'tsconfig.json');
  await writeFile(config, JSON.stringify({ compilerOptions, files: ['all.mts'] }));

  expect(await node(TSC, ALONE, '-p', config)).toBe('');
});

test('the types of handlers have names, also where packages of the package are not at hand', async () => {
  const { directory, node } = installation.app('declarations');
  // Beside the app, as pnpm does it.
  const alone = await mkdtemp(join(tmpdir(), 'customers-alone-'));
  const modules = join(alone, 'node_modules');
  try {
    await mkdir(modules);
    await symlink(join(directory, '../node_modules', manifest.name), join(modules, manifest.name));
    await copyFile(join(directory, 'app.mts'), join(alone, 'app.mts'));
    const compilerOptions = {
      ...{ module: 'nodenext', target: 'es2022', types: [], noEmit: true },
      ...{ strict: true, skipLibCheck: true, declaration: true },
    };
    const config = join(alone, 'tsconfig.json');
    await writeFile(config, JSON.stringify({ compilerOptions, files: ['app.mts'] }));

    expect(await node(TSC, ALONE, '-p', config)).toBe('');
  } finally {
    await rm(alone, { recursive: true });
  }
});

function sourcesIn(folder: string): readonly string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => /\.[mc]?ts$/.test(name)).map((name) => join(folder, name));
}

test('every file that a page of the package links to is in the package', () => {
  const { directory } = installation.app('es-modules');
  const packed = join(directory, '../node_modules', manifest.name);
  const names = readdirSync(packed, { recursive: true, encoding: 'utf8' });
  const links = names
    .filter((name) => name.endsWith('.md'))
    .flatMap((page) => linksIn(packed, page).map((link) => ({ page, link })));

  const isThere = ({ page, link }: { page: string; link: string }) =>
    existsSync(join(packed, dirname(page), link));
  expect(links.length).toBeGreaterThan(400);
  expect(links.filter((each) => !isThere(each))).toEqual([]);
});

/** To other files, without the place in them. */
function linksIn(folder: string, page: string): readonly string[] {
  const text = readFileSync(join(folder, page), 'utf8');
  return [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, link = '']) => link);
}

test('publint finds nothing', async () => {
  const { buffer } = readFileSync(installation.tarball);
  const { messages, pkg } = await publint({
    pack: { tarball: new Uint8Array(buffer).buffer },
    strict: true,
  });

  expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
});
