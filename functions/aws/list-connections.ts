import {
  ListSecretsCommand,
  type SecretListEntry,
  type SecretsManagerClient,
} from '@aws-sdk/client-secrets-manager';
import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import { ConnectionNameSchema } from '../../lib/names.ts';
import type { Log } from '../log/log.ts';
import { callAws } from './call-aws.ts';

/** A tag of a secret: with the value `off` the schedule for all connections leaves the connection out. */
export const SCHEDULE_TAG = 'customers-functions:schedule';

interface ListedConnection {
  readonly name: string;
  /** When its secret was made; milliseconds since the epoch. */
  readonly createdAtMs: number;
  /** Whether the schedule for all connections leaves it out. */
  readonly isOptedOut: boolean;
}

export interface ConnectionList {
  readonly connections: readonly ListedConnection[];
  /** Secrets under the prefix whose names are none of a connection. */
  readonly misnamed: readonly string[];
}

/** The API's limit of `MaxResults`. */
const PAGE_SIZE = 100;

/**
 * Lists the connections that have a secret, without reading one; secrets that are scheduled for deletion are
 * left out. Secrets Manager may not show yet what was made in the last five minutes.
 *
 * @throws AwsCallError
 */
export async function listConnections(
  client: SecretsManagerClient,
  secretPrefix: string,
): Promise<ConnectionList> {
  const connections = new Map<string, ListedConnection>();
  const misnamed: string[] = [];
  let token: string | undefined;
  do {
    const command = new ListSecretsCommand({
      // Compares beginnings without regard to capital letters (API reference, ListSecrets).
      Filters: [{ Key: 'name', Values: [secretPrefix] }],
      MaxResults: PAGE_SIZE,
      ...defined({ NextToken: token }),
    });
    const answer = await callAws('SecretsManager ListSecrets', () => client.send(command));
    for (const entry of answer.SecretList ?? []) {
      const { Name = '' } = entry;
      if (!Name.startsWith(secretPrefix)) continue;
      const name = Name.slice(secretPrefix.length);
      if (v.is(ConnectionNameSchema, name)) connections.set(name, listed(name, entry));
      else misnamed.push(Name);
    }
    token = answer.NextToken;
  } while (token !== undefined);
  return { connections: [...connections.values()], misnamed };
}

/** Names of the connections that the schedule for all does not leave out; logs what it leaves out. */
export async function listScheduled(
  client: SecretsManagerClient,
  secretPrefix: string,
  except: readonly string[],
  log: Log,
): Promise<readonly string[]> {
  const { connections, misnamed } = await listConnections(client, secretPrefix);
  const wanted = connections.filter((each) => !each.isOptedOut && !except.includes(each.name));
  const leftOut = connections.length - wanted.length;
  log.info('Listed', { connections: connections.length, leftOut });
  if (misnamed.length > 0) {
    log.warn('Secrets under the prefix that are no connections', {
      count: misnamed.length,
      first: misnamed[0],
      reason: 'expected 1 to 63 small letters, digits and hyphens after the prefix',
    });
  }
  return wanted.map(({ name }) => name);
}

function listed(name: string, { CreatedDate, Tags = [] }: SecretListEntry): ListedConnection {
  return {
    name,
    createdAtMs: CreatedDate?.getTime() ?? 0,
    isOptedOut: Tags.some(({ Key, Value }) => Key === SCHEDULE_TAG && Value === 'off'),
  };
}
