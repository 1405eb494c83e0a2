import {
  CloudFormationClient,
  paginateDescribeStacks,
  type Stack,
} from '@aws-sdk/client-cloudformation';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { defined } from '../../../lib/defined.ts';
import { codeOf } from '../../command-line/file-problem.ts';
import type { Call } from '../command.ts';
import { CommandError } from '../command-error.ts';
import { deployedFunctions } from './deployed-functions.ts';
import {
  chosenIntegration,
  type DescribedStack,
  type Integration,
  integrationsIn,
} from './find-integration.ts';
import { createHttpApi } from './http-api.ts';
import type { IntegrationApi } from './integration-api.ts';
import { RIGHTS_HINT, SIGN_IN_HINT } from './missing-right.ts';
import { type ClientSettings, safeClient } from './safe-client.ts';
import type { Signer } from './signed-call.ts';

/** The options of every command about a deployed integration. */
export interface GivenStack {
  readonly stack?: string | undefined;
  readonly integration?: string | undefined;
  readonly region?: string | undefined;
  readonly profile?: string | undefined;
  /** @default by its HTTP API where it has one */
  readonly by?: Way | undefined;
}

export const WAYS = ['http-api', 'services'] as const;

/** How an integration is asked: by its HTTP API, or by its services with rights of the person. */
type Way = (typeof WAYS)[number];

export interface OpenStack {
  readonly stack: string;
  readonly id: string;
  readonly clients: ClientSettings;
  /** @throws CommandError where the stack has no such output. */
  readonly output: (name: string) => string;
  /** @throws CommandError where it has none. */
  readonly api: IntegrationApi;
}

/** Finds the integration that is meant, and signs as the person whose credentials are there. */
export async function openStack(given: GivenStack, call: Call): Promise<OpenStack> {
  const { stack, integration, region, profile } = given;
  const { signal } = call.interrupt;
  const own = defined({ region, profile });
  const credentials = defaultProvider(defined({ profile }));
  const clients = { ...own, credentials };
  const client = safeClient(new CloudFormationClient(clients));
  await client.config.region().catch((error: Error) => {
    const isMissing = /^Region is missing|region=""/.test(error.message);
    const said = isMissing ? 'no region is set' : error.message;
    throw new CommandError(`AWS: ${inSentence(said)} Set AWS_REGION, or add --region.`);
  });
  const stacks = await saying(() => describedStacks(client, stack, signal));
  const found = chosenIntegration(integrationsIn(stacks), { stack, integration });
  const output = (name: string) => {
    const value = found.output(name);
    if (value !== undefined) return value;
    throw new CommandError(`The integration ${found.id} has no output ${name}.`);
  };
  const { region: signedRegion, sha256 } = client.config;
  const signer = { region: signedRegion, credentials, sha256, signal };
  return {
    stack: found.stack,
    id: found.id,
    clients,
    output,
    get api() {
      const url = found.output('HttpApiUrl');
      if (given.by === 'services' || (given.by === undefined && url === undefined)) {
        return servicesOf(found, output, { clients, signer, environment: call.environment });
      }
      if (url !== undefined) return createHttpApi(url, signer);
      throw new CommandError(
        `The integration ${found.id} has no HTTP API (setting httpApi). Leave --by away to ask its services.`,
      );
    },
  };
}

interface Person {
  readonly clients: ClientSettings;
  readonly signer: Signer;
  readonly environment: Call['environment'];
}

function servicesOf(
  found: Integration,
  output: OpenStack['output'],
  { clients, signer, environment }: Person,
): IntegrationApi {
  const places = {
    integrationId: found.id,
    table: output('LedgerTableName'),
    bucket: output('ExportBucketName'),
    exportQueueUrl: output('ExportQueueUrl'),
    writeQueueUrl: found.output('WriteQueueUrl'),
  };
  const startFunction = output('StartExportFunctionName');
  const functions = deployedFunctions(signer, environment);
  let api: Promise<IntegrationApi> | undefined;
  // The clients of all these services take a fifth of a second to load, which other commands need not wait for.
  const load = async () => {
    const { createServicePorts } = await import('./service-ports.ts');
    const { createServicesApi } = await import('./services-api.ts');
    const ports = createServicePorts(clients, places);
    return createServicesApi({ functions, ports, startFunction, signal: signer.signal });
  };
  return {
    ask: async (...question) => {
      api ??= load();
      return (await api).ask(...question);
    },
  };
}

async function describedStacks(
  client: CloudFormationClient,
  name: string | undefined,
  abortSignal: AbortSignal,
): Promise<readonly DescribedStack[]> {
  const stacks: DescribedStack[] = [];
  const pages = paginateDescribeStacks({ client }, defined({ StackName: name }), { abortSignal });
  for await (const { Stacks = [] } of pages) stacks.push(...Stacks.map(described));
  return stacks;
}

function described({ StackName: name = '', Outputs = [] }: Stack): DescribedStack {
  const outputs = Outputs.map(({ OutputKey = '', OutputValue = '' }) => [OutputKey, OutputValue]);
  return { name, outputs: Object.fromEntries(outputs) };
}

/** What AWS says is for developers of the SDK; here a person is told what to do. */
export async function saying<T>(asking: () => Promise<T>): Promise<T> {
  try {
    return await asking();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof CommandError) throw error;
    const hint = HINTS.get(error.name) ?? HINTS.get(codeOf(error));
    throw new CommandError(`AWS: ${inSentence(error.message)}${hint ? ` ${hint}` : ''}`);
  }
}

/** The first line, as a sentence that another one may follow. */
function inSentence(message: string): string {
  const [line = ''] = message.split('\n');
  return /[.!?:]$/.test(line) ? line : `${line}.`;
}

/** AWS says the same of a profile that does not exist. */
const SIGN_IN_BY = 'Sign in, or add --profile with the name of one that exists.';
const NETWORK = 'Check the network, and the region: AWS_REGION or --region.';

/** By the code of an error: that of the SDK, or the one that services have in common ("Common Errors" of their API references). */
const HINTS: ReadonlyMap<string, string> = new Map([
  ['CredentialsProviderError', SIGN_IN_BY],
  ['TokenProviderError', SIGN_IN_HINT],
  ['ExpiredToken', SIGN_IN_HINT],
  ['ExpiredTokenException', SIGN_IN_HINT],
  ['InvalidClientTokenId', SIGN_IN_HINT],
  ['UnrecognizedClientException', SIGN_IN_HINT],
  ['AccessDenied', RIGHTS_HINT],
  ['AccessDeniedException', RIGHTS_HINT],
  // Of the system: a region that does not exist has a host that does not either.
  ['ENOTFOUND', NETWORK],
  ['EAI_AGAIN', NETWORK],
  ['ECONNREFUSED', NETWORK],
  ['ETIMEDOUT', NETWORK],
  ['ENETUNREACH', NETWORK],
  ['EHOSTUNREACH', NETWORK],
  // Of DescribeStacks: there is no stack of this name.
  ['ValidationError', 'Check --stack, --region and --profile.'],
]);
