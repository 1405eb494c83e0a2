import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { functionBundling } from '../../infra/function-bundling.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'examples/own-functions/lambda');

const ALIAS = '--alias:';

/** As a NodejsFunction with `functionBundling` makes it, in a folder that does not have the package. */
async function bundleOf(file: string): Promise<string> {
  const { minify, mainFields, esbuildArgs } = functionBundling;
  const aliases = Object.entries(esbuildArgs).filter(([option]) => option.startsWith(ALIAS));
  const { outputFiles } = await build({
    ...{ entryPoints: [join(folder, file)], bundle: true, platform: 'node', format: 'esm' },
    ...{ minify, mainFields: [...mainFields], write: false, logLevel: 'silent' },
    absWorkingDir: tmpdir(),
    alias: {
      'customers-functions/lambda': join(root, 'functions/index.ts'),
      ...Object.fromEntries(aliases.map(([option, to]) => [option.slice(ALIAS.length), to])),
    },
  });
  return outputFiles[0]?.text ?? '';
}

/** In KB of 1,000 bytes. */
async function sizeOf(file: string): Promise<number> {
  return Buffer.byteLength(await bundleOf(file)) / 1_000;
}

test('a function is bundled where the package is not, as in a workspace, and holds no path of this machine', async () => {
  const bundle = await bundleOf('welcome-customers.ts');

  expect(bundle).not.toContain(root);
  expect(bundle).not.toContain('fromIni'); // of the ways to credentials that a Lambda function does not have
});

test('the examples that use the package are as large as its page and its docstring say', async () => {
  const [least = 0, most = 0] = await Promise.all(
    // The smallest of them, and the largest.
    ['welcome-customers.ts', 'keep-customers.ts'].map(sizeOf),
  );

  for (const path of ['docs/your-own-functions.md', 'infra/function-bundling.ts']) {
    const [, from, to] = /(\d+) to (\d+) KB/.exec(readFileSync(join(root, path), 'utf8')) ?? [];
    expect(least).toBeGreaterThan(Number(from));
    expect(most).toBeLessThan(Number(to));
  }
});

test('the page gives esbuild the same options', () => {
  const page = readFileSync(join(root, 'docs/your-own-functions.md'), 'utf8');
  const { format, mainFields, esbuildArgs } = functionBundling;
  const aliases = Object.keys(esbuildArgs).map(
    (option) => `${option}=customers-functions/lambda-credentials`,
  );

  for (const option of [
    `--format=${format}`,
    `--main-fields=${mainFields.join(',')}`,
    ...aliases,
  ]) {
    expect(page).toContain(option);
  }
});
