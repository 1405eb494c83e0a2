import type { FunctionDefinition } from './function-definition.ts';

/** What every function of a stack gets besides its own. */
export interface HostEnvironment {
  readonly region: string;
  readonly endpointUrl: string;
  /** Added to every function: `NODE_EXTRA_CA_CERTS` and the like. */
  readonly extra: Readonly<Record<string, string>>;
  /** Takes the place of the user's home, whose AWS configuration must not be read. */
  readonly homeDirectory: string;
  readonly compileCacheDirectory: string;
}

/**
 * The whole environment of a function's process: of Lambda's own variables (developer guide, "Defined runtime
 * environment variables") those that functions and the AWS SDK read, the template's, and where the endpoint is. Nothing
 * of this process.
 */
export function functionEnvironment(
  definition: FunctionDefinition,
  host: HostEnvironment,
): Record<string, string> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    LANG: 'en_US.UTF-8',
    TZ: ':UTC',
    HOME: host.homeDirectory,
    NODE_COMPILE_CACHE: host.compileCacheDirectory,
    NODE_COMPILE_CACHE_PORTABLE: '1',
    AWS_EXECUTION_ENV: `AWS_Lambda_nodejs${process.versions.node.split('.', 1)[0]}.x`,
    AWS_REGION: host.region,
    AWS_LAMBDA_FUNCTION_NAME: definition.name,
    ...definition.variables,
    ...host.extra,
    AWS_ENDPOINT_URL: host.endpointUrl,
    AWS_ACCESS_KEY_ID: definition.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: definition.credentials.secretAccessKey,
    AWS_SESSION_TOKEN: definition.credentials.sessionToken,
  };
}
