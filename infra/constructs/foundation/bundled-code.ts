import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

/** How a function becomes one file; the benchmark of cold starts bundles what it compares in the same way. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  mainFields: ['module', 'main'],
  // Only what Lambda needs of the SDK's ways to find credentials.
  alias: { '@aws-sdk/credential-provider-node': fileOf('aws/lambda-credentials') },
  // The tested copy of the SDK, minified, loads faster than the one of the runtime, so nothing is external.
  // No source map: stacks are never logged, since they are where secrets turn up.
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * One function with all that it imports, in one file. Bundled by esbuild in this process: a process of
 * its own for each function, as the CDK's NodejsFunction starts it, takes ten times as long.
 *
 * @param file Name of the file in `functions/` without its ending; it exports `handler`.
 */
export function bundledCode(file: string): Code {
  const entry = fileOf(file);
  return Code.fromAsset(dirname(entry), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used, as the local way always succeeds or throws.
      image: Runtime.NODEJS_24_X.bundlingImage,
      // What tells one function's asset from another's, since all have the folder in common.
      command: [file],
      local: {
        tryBundle: (outputDirectory) => {
          buildSync({
            ...BUNDLE_OPTIONS,
            entryPoints: [entry],
            outfile: join(outputDirectory, 'index.mjs'),
          });
          return true;
        },
      },
    },
  });
}

/** Beside this folder, as TypeScript in the repository and as JavaScript in the package. */
function fileOf(file: string): string {
  const ending = extname(import.meta.filename);
  return fileURLToPath(new URL(`../../../functions/${file}${ending}`, import.meta.url));
}
