import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Gates } from '../lib/exports/ports.ts';
import { SettingError } from '../lib/index.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { type ClientConnections, createConnections } from './aws/connections.ts';
import { createGates } from './aws/gates.ts';
import { createKeyStore } from './aws/key-store.ts';
import { createLedgerTable, type LedgerTable } from './aws/ledger-table.ts';
import { type ConnectionSettings, connectionSettingsOf } from './connection-settings.ts';
import { readConnectionTable, readVariable } from './environment.ts';
import { createGatedClient, type GatedClient } from './gated-client.ts';
import { errorFields } from './middleware/log.ts';
import { liveKeys, processLog } from './middleware/process-log.ts';

/** What a function needs that makes requests to the API; made once a process. */
export interface ClientServices {
  readonly table: LedgerTable;
  readonly gates: Gates;
  readonly connections: ClientConnections;
  /** `undefined` for a connection that the stack does not know. */
  readonly settingsOf: (connection: string) => ConnectionSettings | undefined;
  /** For requests beside the exports of the connection, which must be one of the stack. */
  readonly clientOf: (connection: string) => GatedClient;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createClientServices(): ClientServices {
  const settings = readSettings();
  const table = createLedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
  const gates = createGates(table);
  const keyStore = createKeyStore({
    client: new SecretsManagerClient(CLIENT_SETTINGS),
    secretPrefix: readVariable('secretPrefix'),
    clock: systemClock,
    onKey: (connection, { keyVersion, key }) => liveKeys.add(connection, keyVersion, key),
  });
  const apiSettingsOf = (connection: string) => {
    const known = settings.get(connection);
    if (known !== undefined) return known.api;
    throw new SettingError('connection', `${connection} is not a connection of this stack`);
  };
  const connections = createConnections({ keyStore, apiSettingsOf });

  return {
    table,
    gates,
    connections,
    settingsOf: (connection) => settings.get(connection),
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

/** All of them now, so that a wrong one shows when the function starts and not in the middle of its work. */
function readSettings(): ReadonlyMap<string, ConnectionSettings> {
  const table = readConnectionTable();
  const settings = new Map<string, ConnectionSettings>();
  for (const connection of Object.keys(table.connections)) {
    const known = connectionSettingsOf(table, connection);
    if (known !== undefined) settings.set(connection, known);
  }
  return settings;
}
