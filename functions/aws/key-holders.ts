import { GetSecretValueCommand, type SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import type { ApiKey } from '../../lib/key/api-key.ts';
import { fingerprintOf } from '../../lib/key/fingerprint.ts';
import { AwsCallError, callAws } from './call-aws.ts';
import type { ItemPlace, LedgerTable } from './ledger/ledger-table.ts';

/** A key and where it is sent. */
export interface PlacedKey {
  readonly key: ApiKey;
  /** Origin of the API's base URL. */
  readonly address: string;
}

export interface KeyHolders {
  /**
   * Notes that the connection has this key, unless another one has it.
   *
   * @returns The connection that has it: this one or the other.
   * @throws AwsCallError.
   */
  hold(connection: string, placed: PlacedKey): Promise<string>;
}

export interface KeyHoldersOptions {
  readonly client: SecretsManagerClient;
  /** The secret of the stack that fingerprints are made with. */
  readonly secretId: string;
  readonly table: LedgerTable;
  /** What a connection's secret holds now; `undefined` when it holds no key. */
  readonly keyOf: (connection: string) => Promise<PlacedKey | undefined>;
}

const HolderSchema = v.object({ holder: v.string() });

/** No connection has such a name. */
const PARTITION = '#key-holders';

/**
 * Finds connections that have the same key: each would keep only to its own waits, and the API would be asked too
 * early. The ledger holds fingerprints of keys, made with a secret of the stack.
 */
export function createKeyHolders(options: KeyHoldersOptions): KeyHolders {
  const { client, secretId, table, keyOf } = options;
  let reading: Promise<string> | undefined;
  const secret = (): Promise<string> => {
    reading ??= readSecret(client, secretId).catch((error: unknown) => {
      reading = undefined;
      throw error;
    });
    return reading;
  };
  const printOf = async ({ key, address }: PlacedKey) =>
    fingerprintOf(key, address, await secret());

  return {
    hold: async (connection, placed) => {
      const fingerprint = await printOf(placed);
      const place = placeOf(fingerprint);
      const own = { holder: connection };
      const { holder } = (await table.get(place)) ?? (await table.create(place, own)) ?? own;
      if (holder === connection) return connection;
      const other = await keyOf(holder);
      if (other !== undefined && (await printOf(other)) === fingerprint) return holder;
      const isTaken = await table.put(place, own, 'holder = :former', { ':former': holder });
      return isTaken ? connection : ((await table.get(place))?.holder ?? connection);
    },
  };
}

function placeOf(fingerprint: string): ItemPlace<v.InferOutput<typeof HolderSchema>> {
  return { connection: PARTITION, sort: fingerprint, schema: HolderSchema };
}

async function readSecret(client: SecretsManagerClient, secretId: string): Promise<string> {
  const operation = 'SecretsManager GetSecretValue';
  const command = new GetSecretValueCommand({ SecretId: secretId });
  const { SecretString: text = '' } = await callAws(operation, () => client.send(command));
  // Without a secret a fingerprint would be a plain hash.
  if (text === '') throw new AwsCallError(operation, 'NoSecretString');
  return text;
}
