import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { defined } from '../../lib/defined.ts';
import type { StoredVersion } from '../../lib/gate/organization.ts';
import type { Clock, NoKey } from '../../lib/gate/ports.ts';
import type { ApiKey } from '../../lib/key/api-key.ts';
import { AwsCallError, callAws, isAwsCode } from './call-aws.ts';
import { parseSecret, type SecretKey } from './parse-secret.ts';

/**
 * Long enough that a busy function asks about once a minute ($5 per million calls), short enough that a
 * new key is in use before its holder checks.
 */
const KEY_MAX_AGE_MS = 60_000;

export interface StoredKey extends SecretKey, StoredVersion {}

export interface KeyStore {
  /**
   * Reads the current version of the connection's secret. Reads at the same time share one call, but a fresh one none
   * that began before; only keys are remembered, never their absence.
   *
   * @param freshness `cached` may be a minute old; `fresh` asks Secrets Manager.
   * @throws AwsCallError when Secrets Manager or KMS does not answer or denies access.
   */
  read(connection: string, freshness: 'cached' | 'fresh'): Promise<StoredKey | NoKey>;
}

type Reading = ReturnType<KeyStore['read']>;

export interface KeyStoreOptions {
  readonly client: SecretsManagerClient;
  /** Put before the connection's name. */
  readonly secretPrefix: string;
  readonly clock: Pick<Clock, 'now'>;
  /** Told of each key before anyone can use it, and of what may be one in a malformed secret: logs never show it. */
  readonly onKey: (key: ApiKey) => void;
}

export function createKeyStore(options: KeyStoreOptions): KeyStore {
  const { secretPrefix, clock } = options;
  const remembered = new Map<string, { readonly stored: StoredKey; readonly readAtMs: number }>();
  const inFlight = new Map<string, { readonly reading: Reading; readonly fromMs: number }>();

  const readNow = async (connection: string): Promise<StoredKey | NoKey> => {
    const readAtMs = clock.now();
    const result = await readSecret(options, `${secretPrefix}${connection}`);
    remembered.delete(connection);
    if (result.kind === 'key') remembered.set(connection, { stored: result, readAtMs });
    return result;
  };

  const store: KeyStore = {
    read: (connection, freshness) => {
      const nowMs = clock.now();
      const known = remembered.get(connection);
      const ageMs = known === undefined ? 0 : nowMs - known.readAtMs;
      // A clock that was set back makes the age negative: then the key's age is not known.
      if (freshness === 'cached' && known && ageMs >= 0 && ageMs < KEY_MAX_AGE_MS) {
        return Promise.resolve(known.stored);
      }
      const running = inFlight.get(connection);
      if (running === undefined) {
        const reading = readNow(connection).finally(() => inFlight.delete(connection));
        inFlight.set(connection, { reading, fromMs: nowMs });
        return reading;
      }
      if (freshness === 'cached' || running.fromMs === nowMs) return running.reading;
      // It may not show what was stored since it began: the former key would be taken for one of another organization.
      const again = () => store.read(connection, 'fresh');
      return running.reading.then(again, again);
    },
  };
  return store;
}

async function readSecret(
  { client, onKey }: KeyStoreOptions,
  name: string,
): Promise<StoredKey | NoKey> {
  const operation = 'SecretsManager GetSecretValue';
  try {
    const command = new GetSecretValueCommand({ SecretId: name });
    const answer = await callAws(operation, () => client.send(command));
    const keyVersion = answer.VersionId;
    if (keyVersion === undefined) throw new AwsCallError(operation, 'NoVersionId');
    const parsed = parseSecret(answer.SecretString);
    for (const key of parsed.kind === 'key' ? [parsed.key] : parsed.keys) onKey(key);
    const createdAtMs = answer.CreatedDate?.getTime();
    if (parsed.kind === 'key') return { ...parsed, keyVersion, ...defined({ createdAtMs }) };
    const message = `The secret ${name} holds no usable key. ${parsed.problem}`;
    return { kind: 'no-key', reason: 'malformed', keyVersion, message };
  } catch (error) {
    // InvalidRequestException: the secret is scheduled for deletion.
    if (!isAwsCode(error, 'ResourceNotFoundException', 'InvalidRequestException')) throw error;
    const message = `There is no secret ${name} with a current version, or it is scheduled for deletion. Store the organization's key under this name in Secrets Manager, in the region of the stack.`;
    return { kind: 'no-key', reason: 'missing', message };
  }
}
