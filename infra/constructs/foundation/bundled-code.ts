import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { AssetHashType } from 'aws-cdk-lib';
import { Code, Runtime } from 'aws-cdk-lib/aws-lambda';
import { type BuildOptions, buildSync } from 'esbuild';

/** How a function becomes one file. The benchmark of cold starts uses the same options. */
export const BUNDLE_OPTIONS = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'esm',
  minify: true,
  mainFields: ['module', 'main'],
  // Only the credential providers that Lambda needs.
  alias: { '@aws-sdk/credential-provider-node': fileOf('aws/lambda-credentials') },
  // The tested copy of the SDK, minified, loads faster than the runtime's copy, so nothing is external. No
  // source map: stack traces are never logged, since they may hold secrets.
  logLevel: 'warning',
} as const satisfies BuildOptions;

/**
 * One function with all its imports, in one file. esbuild bundles it in this process: a separate process per
 * function, as in the CDK's NodejsFunction, takes ten times as long.
 *
 * @param file Name of the file in `functions/` without its extension; it exports `handler`.
 */
export function bundledCode(file: string): Code {
  const entry = fileOf(file);
  return Code.fromAsset(dirname(entry), {
    assetHashType: AssetHashType.OUTPUT,
    bundling: {
      // Never used: local bundling always succeeds or throws.
      image: Runtime.NODEJS_24_X.bundlingImage,
      // Makes the asset hashes differ, since all functions have the same folder.
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

/** TypeScript in the repository, JavaScript in the package. */
function fileOf(file: string): string {
  const ending = extname(import.meta.filename);
  return fileURLToPath(new URL(`../../../functions/${file}${ending}`, import.meta.url));
}
