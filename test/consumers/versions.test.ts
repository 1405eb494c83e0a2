import { copyFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import exportApp from '../../examples/export-app/package.json' with { type: 'json' };
import ownFunctions from '../../examples/own-functions/package.json' with { type: 'json' };
import { checkBuild } from '../../infra/build/built-sources.ts';
import manifest from '../../package.json' with { type: 'json' };
import { isDeep } from '../deep/depth.ts';
import { type Installation, install, SHOP_FUNCTIONS } from './consumer-app.ts';

/** Installs packages from the registry, so only in `npm run test:deep`. */
const deepTest = isDeep ? test : test.skip;
const INSTALL_MS = 300_000;
const OLDEST_CDK = manifest.peerDependencies['aws-cdk-lib'].replace('^', '');
const NODE = `npm:node-${process.platform}-${process.arch}`;
const CDK = ['aws-cdk-lib@2', 'constructs@10', 'esbuild@0.28', '@types/node@22'];
const TYPESCRIPTS = { ts54: '5.4', ts59: '5.9', ts60: '6.0', ts7: '7' };
const NODES = { node20: '20.19', node22: '22.12', node24: '24' };

const EXAMPLES = { 'export-app': exportApp, 'own-functions': ownFunctions };

/** What the app names, without this package, and without the command of the CDK, which no test runs. */
function packagesOf({ dependencies, devDependencies }: typeof exportApp): [string, string][] {
  const named = Object.entries({ ...dependencies, ...devDependencies });
  return named.filter(([name]) => name !== manifest.name && name !== 'aws-cdk');
}

let installation: Installation;
beforeAll(() => {
  if (isDeep) checkBuild();
});
afterAll(() => installation?.remove());

deepTest.each([
  [OLDEST_CDK, '2'],
  ['2.230.0', '2'],
  ['2', '2'],
  ['2', '3'],
])(
  'with version %s of the CDK, two integrations have no finding of cdk-nag %s',
  async (cdk, nag) => {
    const packages = [`aws-cdk-lib@${cdk}`, 'constructs@10', `cdk-nag@${nag}`];
    const { app, remove } = await install(packages, 'registry');
    try {
      expect(JSON.parse(await app('nag').node('app.js'))).toEqual([]);
    } finally {
      remove();
    }
  },
  INSTALL_MS,
);

deepTest(
  'other versions of Node.js and TypeScript can be installed beside it',
  async () => {
    const nodes = Object.entries(NODES).map(([name, version]) => `${name}@${NODE}@${version}`);
    const typescripts = Object.entries(TYPESCRIPTS).map(
      ([name, version]) => `${name}@npm:typescript@${version}`,
    );
    const ofExamples = packagesOf(ownFunctions)
      .filter(([name]) => !CDK.some((each) => each.startsWith(`${name}@`)))
      .map(([name]) => name);
    const more = ['jest@30', 'tsx@4', '@arethetypeswrong/cli', ...nodes, ...typescripts];
    installation = await install([...CDK, ...ofExamples, ...more], 'registry');
  },
  INSTALL_MS,
);

deepTest.each(Object.keys(NODES))(
  'apps of both kinds, and the test of an app made by cdk init, run on %s',
  async (name) => {
    const { node } = installation.app('es-modules', { nodePackage: name });
    expect(JSON.parse(await node('app.js')).oneCopyOfTheConstruct).toBe(true);

    const commonjs = installation.app('commonjs', { nodePackage: name });
    expect(JSON.parse(await commonjs.node('app.js')).isSharedError).toBe(true);

    const cdkApp = installation.app('cdk-app', { functions: SHOP_FUNCTIONS, nodePackage: name });
    await cdkApp.node('../node_modules/jest/bin/jest.js');
    await cdkApp.node('../node_modules/tsx/dist/cli.mjs', 'bin/shop.ts');
  },
  INSTALL_MS,
);

deepTest.each(Object.keys(NODES))('the functions of the example load on %s', async (name) => {
  const { directory, node } = installation.app('own-functions', {
    from: 'examples',
    nodePackage: name,
  });
  const files = await readdir(join(directory, 'lambda'));
  const bundle = ['--bundle', '--platform=node', '--format=esm', '--main-fields=module,main'];
  const credentials =
    '--alias:@aws-sdk/credential-provider-node=customers-functions/lambda-credentials';
  const output = ['--outdir=bundles', '--out-extension:.js=.mjs', '--log-level=error'];
  const sources = files.map((file) => `lambda/${file}`);
  await node('../node_modules/esbuild/bin/esbuild', ...sources, ...bundle, credentials, ...output);

  for (const file of files) {
    const bundled = `./bundles/${file.replace('.ts', '.mjs')}`;
    // Beyond the settings, which only a deployment gives, nothing is wrong.
    const load = `await import('${bundled}').catch((error) => { if (error.code !== 'INVALID_SETTING') throw error; })`;
    await node('--input-type=module', '--eval', load);
  }
});

deepTest.each(Object.keys(NODES).filter((name) => name !== 'node24'))(
  'the command says what it needs on %s, which has no zstd',
  async (name) => {
    const { node } = installation.app('es-modules', { nodePackage: name });
    const command = '../node_modules/customers-functions/dist/infra/command/main.js';
    const options = ['--base-url=https://api.example.com', '--compression=zstd'];
    await expect(node(command, 'try', ...options)).rejects.toThrow(
      'Files compressed by zstd need Node.js 22.15 or newer',
    );
  },
  INSTALL_MS,
);

deepTest.each(
  Object.keys(TYPESCRIPTS).flatMap((name) => [
    { name, options: '--module node16 app.mts app.cts' },
    { name, options: '--module nodenext app.mts app.cts' },
    { name, options: '--module esnext --moduleResolution bundler app.mts' },
  ]),
)('the types fit $name $options', async ({ name, options }) => {
  const { directory, node } = installation.app('types');
  await copyFile(join(directory, 'app.mts'), join(directory, 'app.cts'));
  const strict = '--noEmit --strict --skipLibCheck --exactOptionalPropertyTypes --target es2022';
  const tsc = `../node_modules/${name}/bin/tsc`;

  expect(await node(tsc, ...strict.split(' '), ...options.split(' '))).toBe('');
});

deepTest.each(
  Object.keys(TYPESCRIPTS).flatMap((name) => Object.keys(EXAMPLES).map((app) => ({ name, app }))),
)('the example $app fits $name', async ({ name, app }) => {
  const { node } = installation.app(app, { from: 'examples' });

  expect(await node(`../node_modules/${name}/bin/tsc`)).toBe('');
});

deepTest.each(Object.entries(EXAMPLES))(
  'the example %s passes with the oldest version of each package that it names',
  async (name, named) => {
    const oldest = packagesOf(named).map(
      ([each, range]) => `${each}@${/\d+\.\d+\.\d+/.exec(range)?.[0]}`,
    );
    const { app, remove } = await install(oldest, 'registry');
    try {
      const { directory, node } = app(name, { from: 'examples' });
      await writeFile(join(directory, 'package-lock.json'), '{}');
      expect(await node('../node_modules/typescript/bin/tsc')).toBe('');
      expect(await node('--test', 'test/*.test.ts')).toContain('fail 0');
    } finally {
      remove();
    }
  },
  INSTALL_MS,
);

deepTest('attw finds nothing', async () => {
  const { node } = installation.app('types');
  const attw = '../node_modules/@arethetypeswrong/cli/dist/index.js';

  // A file that a bundler takes in place of another one: nobody imports its types.
  const exclude = ['--exclude-entrypoints', 'lambda-credentials'];

  expect(await node(attw, installation.tarball, '--quiet', ...exclude)).toBe('');
});
