import {
  CreateSecretCommand,
  PutSecretValueCommand,
  SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import { ORGANIZATION_LABEL, parseSecret } from '../../functions/aws/parse-secret.ts';
import { refuseKeyOutput } from '../../functions/services/refuse-key-output.ts';
import { checkWithoutKey, refuseKeyIn } from '../../lib/customers-api/settings.ts';
import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { REQUESTS_PER_SECOND } from '../../lib/exports/export-settings.ts';
import type { ApiKey } from '../../lib/key/api-key.ts';
import { redactorOf } from '../../lib/key/redaction.ts';
import { promptHidden } from '../command-line/ask-key.ts';
import { number, option, text } from '../command-line/option-table.ts';
import { type Call, commandOf } from './command.ts';
import { CommandError } from './command-error.ts';
import { openStack, saying } from './stack/open-stack.ts';
import { safeClient } from './stack/safe-client.ts';
import { CONNECTION, connectionOf, STACK_OPTIONS } from './stack/stack-options.ts';
import { allOfStdin } from './stdin.ts';

const KEY_SOURCE = 'The key is asked for without showing it, or read from standard input.';

export const NEW_KEY = commandOf({
  name: 'new-key',
  what: 'Stores the API key of a connection as a new version of its secret, or makes the secret. Halted exports go on with it.',
  operands: [CONNECTION],
  options: {
    organization: option('LABEL', 'whose key it is: equal labels are the same organization', label),
    'base-url': option(
      'URL',
      'address of the API of this connection',
      text,
      'that of the settings',
    ),
    header: option('NAME', 'header that carries this key', text, 'that of the settings'),
    'requests-per-second': option(
      'R',
      'never ask this API more often',
      number(REQUESTS_PER_SECOND),
      'that of the settings',
    ),
    ...STACK_OPTIONS,
  },
  keySource: KEY_SOURCE,
  notes: `${KEY_SOURCE} What the
secret says besides, such as its base URL, is replaced: give it again.`,
  run: async ({ options, operands }, call) => {
    refuseKeyOutput(call.environment);
    const connection = connectionOf(operands);
    checkSettings(options['base-url'], options.header);
    const { stack, id, output, clients } = await openStack(options, call);
    const SecretId = output('SecretPrefix') + connection;
    const { organization, 'base-url': baseUrl, header } = options;
    const { 'requests-per-second': requestsPerSecond } = options;
    const { secret: SecretString, key } = secretOf(
      await givenKey(`API key of ${connection} in ${id} (not shown): `, call),
      defined({ organization, baseUrl, header, requestsPerSecond }),
    );
    refuseKeyIn({ CONNECTION: connection, ...options }, key);
    const client = safeClient(new SecretsManagerClient(clients));
    const version = await sayingWithout(key, async () => {
      try {
        return await client.send(new PutSecretValueCommand({ SecretId, SecretString }));
      } catch (error) {
        if (!(error instanceof Error && error.name === 'ResourceNotFoundException')) throw error;
        return client.send(new CreateSecretCommand({ Name: SecretId, SecretString }));
      }
    });
    const versionId = version.VersionId ?? null;
    const stored = { stack, integration: id, connection, secret: SecretId, versionId };
    call.output.result(
      stored,
      () =>
        `The key of ${connection} is stored for the integration ${id} of the stack ${stack}: ${SecretId}, version ${versionId}.`,
    );
    return 'done';
  },
});

/** With a secret that the functions cannot use the connection would be halted. @throws SettingError naming the option. */
function checkSettings(baseUrl = 'https://api.example.com', header?: string): void {
  checkWithoutKey({ baseUrl, header });
}

function label(given: string, name: string): string {
  if (ORGANIZATION_LABEL.test(given)) return given;
  throw new SettingError(name, 'expected 1 to 100 ASCII characters');
}

async function givenKey(prompt: string, call: Call): Promise<string> {
  const { stdin, stderr, interrupt } = call;
  if (stdin.isTTY !== true) return (await allOfStdin(call)).replace(/\r?\n$/, '');
  return (await promptHidden(prompt, interrupt, stdin, stderr)) ?? '';
}

/** @throws SettingError that shows nothing of the key. */
function secretOf(apiKey: string, settings: object) {
  const secret =
    Object.keys(settings).length === 0 ? apiKey : JSON.stringify({ apiKey, ...settings });
  const parsed = parseSecret(secret);
  if (parsed.kind === 'key') return { secret, key: parsed.key };
  throw new SettingError('The key', parsed.problem);
}

/** A service may quote in its error what it was sent. */
async function sayingWithout<T>(key: ApiKey, asking: () => Promise<T>): Promise<T> {
  try {
    return await saying(asking);
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw new CommandError(redactorOf([key])(error.message));
  }
}
