import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Metafile } from 'esbuild';
import { ROOT } from './root.ts';
import { sdkInUse } from './sdk-in-use.ts';

const FOLDER = join(ROOT, 'functions');

/** How a function becomes one file. The benchmark of cold starts bundles what it compares with the same options. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  mainFields: ['module', 'main'],
  // Only the credential providers that Lambda needs.
  alias: { '@aws-sdk/credential-provider-node': join(FOLDER, 'aws/lambda-credentials.ts') },
  // The tested copy of the SDK, minified, loads faster than the runtime's copy, so nothing is external. No
  // source map: stack traces are never logged, since they may hold secrets.
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** A function with all its imports in one file. */
export interface FunctionBundle {
  /** Name of its file in `functions/` without the ending. */
  readonly name: string;
  readonly code: Uint8Array;
  /** The files of which something is left after tree shaking, from the root of the repository; sorted. */
  readonly files: readonly string[];
}

export function deployedFunctions(): readonly string[] {
  return readdirSync(FOLDER)
    .filter((file) => file.endsWith('.ts') && file !== 'index.ts')
    .map((file) => file.slice(0, -'.ts'.length));
}

/** The same sources and packages give the same bytes on every machine. */
export async function bundleFunction(name: string): Promise<FunctionBundle> {
  const result = await build({
    ...BUNDLE_OPTIONS,
    entryPoints: [join(FOLDER, `${name}.ts`)],
    absWorkingDir: ROOT,
    plugins: [sdkInUse],
    outfile: `${name}.mjs`,
    metafile: true,
    write: false,
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error(`esbuild made no file of ${name}.`);
  return { name, code: file.contents, files: filesIn(result.metafile) };
}

function filesIn({ outputs }: Metafile): readonly string[] {
  const inputs = Object.values(outputs).flatMap((output) => Object.entries(output.inputs));
  return inputs.flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : [])).sort();
}
