import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { Gates } from '../lib/exports/ports.ts';
import { SettingError } from '../lib/index.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { createGates } from './aws/gates.ts';
import type { ConnectionsOptions } from './aws/key-connections.ts';
import { createKeyStore } from './aws/key-store.ts';
import { createLedgerTable, type LedgerTable } from './aws/ledger-table.ts';
import { type ConnectionSettings, connectionSettingsOf } from './connection-settings.ts';
import { readConnectionTable, readVariable } from './environment.ts';
import { liveKeys } from './middleware/process-log.ts';

/** What every function needs that works for connections; made once a process. */
export interface ConnectionServices extends ConnectionsOptions {
  readonly table: LedgerTable;
  readonly gates: Gates;
  /** `undefined` for a connection that the stack does not know. */
  readonly settingsOf: (connection: string) => ConnectionSettings | undefined;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createConnectionServices(): ConnectionServices {
  const settings = readSettings();
  const table = createLedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
  return {
    table,
    gates: createGates(table),
    keyStore: createKeyStore({
      client: new SecretsManagerClient(CLIENT_SETTINGS),
      secretPrefix: readVariable('secretPrefix'),
      clock: systemClock,
      onKey: (connection, { keyVersion, key }) => liveKeys.add(connection, keyVersion, key),
    }),
    settingsOf: (connection) => settings.get(connection),
    apiSettingsOf: (connection) => {
      const known = settings.get(connection);
      if (known !== undefined) return known.api;
      throw new SettingError('connection', `${connection} is not a connection of this stack`);
    },
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
