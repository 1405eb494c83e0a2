import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { lambdaContext } from '../functions/middleware/lambda-context.ts';

const root = join(import.meta.dirname, '../..');

export type ExampleHandler = (event: unknown) => Promise<unknown>;

/** The handler of an example, bundled the way it is deployed, outside of this project; called as Lambda calls it. */
export async function loadExample(name: string): Promise<ExampleHandler> {
  const outfile = join(mkdtempSync(join(tmpdir(), 'example-')), `${name}.mjs`);
  await bundle(name, outfile, false);
  const { handler } = await import(outfile);
  return (event) => Reflect.apply(handler, undefined, [event, lambdaContext()]);
}

/** The files of which something is in the bundle of an example, with as many bytes. */
export async function filesInExample(name: string): Promise<ReadonlyMap<string, number>> {
  const { metafile } = await bundle(name, undefined, true);
  const [output] = Object.values(metafile.outputs);
  const used = Object.entries(output?.inputs ?? {}).map(
    ([file, { bytesInOutput }]) => [file, bytesInOutput] as const,
  );
  return new Map(used.filter(([, bytes]) => bytes > 0));
}

function bundle(name: string, outfile: string | undefined, minify: boolean) {
  return build({
    entryPoints: [join(root, `examples/own-functions/lambda/${name}.ts`)],
    bundle: true,
    platform: 'node',
    format: 'esm',
    mainFields: ['module', 'main'],
    ...(outfile === undefined ? { write: false } : { outfile }),
    minify,
    metafile: true,
    absWorkingDir: root,
    logLevel: 'error',
    alias: { 'customers-functions/lambda': join(root, 'functions/index.ts') },
  });
}
