import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Gates } from '../lib/exports/ports.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { type ClientConnections, createConnections } from './aws/connections.ts';
import { createGates } from './aws/gates.ts';
import { createKeyStore } from './aws/key-store.ts';
import { createKnownConnections } from './aws/known-connections.ts';
import { createLedgerTable, type LedgerTable } from './aws/ledger-table.ts';
import {
  type ConnectionSettings,
  type ConnectionTable,
  connectionSettingsOf,
} from './connection-settings.ts';
import { readConnectionTable, readVariable } from './environment.ts';
import { createGatedClient, type GatedClient } from './gated-client.ts';
import { errorFields } from './middleware/log.ts';
import { liveKeys, processLog } from './middleware/process-log.ts';

/** What a function needs that makes requests to the API; made once a process. */
export interface ClientServices {
  readonly table: LedgerTable;
  readonly gates: Gates;
  readonly connections: ClientConnections;
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its exports may be. */
  readonly settingsOf: (connection: string) => ConnectionSettings;
  /** For requests beside the exports of the connection. */
  readonly clientOf: (connection: string) => GatedClient;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createClientServices(): ClientServices {
  const connectionTable = readConnectionTable();
  const settingsOf = settingsReader(connectionTable);
  const table = createLedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
  const gates = createGates(table);
  const keyStore = createKeyStore({
    client: new SecretsManagerClient(CLIENT_SETTINGS),
    secretPrefix: readVariable('secretPrefix'),
    clock: systemClock,
    onKey: (connection, { keyVersion, key }) => liveKeys.add(connection, keyVersion, key),
  });
  const connections = createConnections({
    keyStore,
    apiSettingsOf: (connection) => settingsOf(connection).api,
  });
  const isDeclared = (connection: string) => Object.hasOwn(connectionTable.connections, connection);

  return {
    table,
    gates,
    connections,
    isKnown: createKnownConnections({ isDeclared, keyStore, clock: systemClock }),
    settingsOf,
    clientOf: (connection) =>
      createGatedClient({
        connection,
        connections,
        gates,
        clock: systemClock,
        onGateError: (error) =>
          processLog.error('Gate not told', { connection, ...errorFields(error) }),
      }),
  };
}

/** Checks all of them now, so that a wrong one shows when the function starts and not in the middle of its work. */
function settingsReader(table: ConnectionTable): (connection: string) => ConnectionSettings {
  const shared = connectionSettingsOf(table, undefined);
  const declared = new Map(
    Object.keys(table.connections).map((name) => [name, connectionSettingsOf(table, name)]),
  );
  return (connection) => declared.get(connection) ?? shared;
}
