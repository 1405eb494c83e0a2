import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { functionBundling } from '../../infra/function-bundling.ts';

const root = join(import.meta.dirname, '../..');
const folder = join(root, 'examples/own-functions/lambda');

/** In KB of 1,000 bytes, as a NodejsFunction with `functionBundling` makes it. */
async function sizeOf(file: string): Promise<number> {
  const { minify, mainFields } = functionBundling;
  const { outputFiles } = await build({
    ...{ entryPoints: [join(folder, file)], bundle: true, platform: 'node', format: 'esm' },
    ...{ minify, mainFields: [...mainFields], write: false, logLevel: 'error' },
    alias: {
      'customers-functions/lambda': join(root, 'functions/index.ts'),
      '@aws-sdk/credential-provider-node': join(root, 'functions/aws/lambda-credentials.ts'),
    },
  });
  return (outputFiles[0]?.contents.length ?? 0) / 1_000;
}

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
  const aliases = Object.entries(esbuildArgs).map(([option, value]) => `${option}=${value}`);

  for (const option of [
    `--format=${format}`,
    `--main-fields=${mainFields.join(',')}`,
    ...aliases,
  ]) {
    expect(page).toContain(option);
  }
});
