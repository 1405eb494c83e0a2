import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { buildSync } from 'esbuild';

/**
 * One function with all that it imports, in one file. Bundled by esbuild in this process: a process of
 * its own for each function, as the CDK's NodejsFunction starts it, takes ten times as long.
 *
 * @param file Name of the file in `functions/` without its ending; it exports `handler`.
 */
export function bundledCode(file: string): Code {
  const entry = entryOf(file);
  return Code.fromAsset(dirname(entry), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used, as the local way always succeeds or throws.
      image: Runtime.NODEJS_24_X.bundlingImage,
      // What tells one function's asset from another's, since all have the folder in common.
      command: [file],
      local: {
        tryBundle: (outputDirectory) => {
          bundle(entry, join(outputDirectory, 'index.mjs'));
          return true;
        },
      },
    },
  });
}

function bundle(entry: string, outfile: string): void {
  buildSync({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    minify: true,
    mainFields: ['module', 'main'],
    // The tested copy of the SDK, minified, loads faster than the one of the runtime, so nothing is external.
    // No source map: stacks are never logged, since they are where secrets turn up.
    logLevel: 'warning',
  });
}

/** Beside this folder, as TypeScript in the repository and as JavaScript in the package. */
function entryOf(file: string): string {
  const ending = extname(import.meta.filename);
  return fileURLToPath(new URL(`../../functions/${file}${ending}`, import.meta.url));
}
