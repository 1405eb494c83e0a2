import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const root = join(import.meta.dirname, '../..');

/** Bundles an example the way it is deployed. Gives the file, outside of this project. */
export async function bundleExample(name: string): Promise<string> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'example-')), `${name}.mjs`);
  await build({
    entryPoints: [join(root, `docs/examples/${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    outfile,
    logLevel: 'error',
    alias: { 'customers-functions/lambda': join(root, 'functions/index.ts') },
  });
  return outfile;
}
