import { type BundlingOptions, OutputFormat } from 'aws-cdk-lib/aws-lambda-nodejs';

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
    '--alias:@aws-sdk/credential-provider-node': 'customers-functions/lambda-credentials',
  },
} as const satisfies BundlingOptions;
