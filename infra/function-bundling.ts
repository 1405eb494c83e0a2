import { join } from 'node:path';
import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

/**
 * A path, not the name of the package's entry: esbuild looks for a name from the folder it runs in, which for the CDK is
 * that of the lock, and in a workspace the package is not there. Without an extension it fits the sources and `dist`.
 */
const LAMBDA_CREDENTIALS = join(import.meta.dirname, '../functions/aws/lambda-credentials');

/**
 * `bundling` of a `NodejsFunction` that uses `customers-functions/lambda`: 300 to 460 KB. ES modules, of which only what
 * is used is left; the SDK's clients come along, since they load faster than the runtime's; and of all ways to
 * credentials only the one that a Lambda function has. The functions of the integration are bundled like this, and hold
 * less of the SDK besides.
 */
export const functionBundling = {
  format: OutputFormat.ESM,
  mainFields: ['module', 'main'],
  minify: true,
  bundleAwsSDK: true,
  esbuildArgs: {
    '--alias:@aws-sdk/credential-provider-node': LAMBDA_CREDENTIALS,
  },
} as const satisfies BundlingOptions;
