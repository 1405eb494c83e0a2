import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import type { WriteGates } from '../../lib/writes/ports.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock } from '../aws/clock-and-random.ts';
import type { ConnectionsOptions } from '../aws/key-connections.ts';
import { createKeyStore } from '../aws/key-store.ts';
import { createKnownConnections } from '../aws/known-connections.ts';
import { createGates } from '../aws/ledger/gates.ts';
import { createLedgerTable, type LedgerTable } from '../aws/ledger/ledger-table.ts';
import { liveKeys } from '../middleware/process-log.ts';
import {
  type ConnectionSettings,
  type ConnectionTable,
  connectionSettingsOf,
} from './connection-settings.ts';
import { readConnectionTable, readVariable } from './environment.ts';

/** What every function needs that works for connections; made once a process. */
export interface ConnectionServices extends ConnectionsOptions {
  readonly table: LedgerTable;
  readonly gates: WriteGates;
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its exports may be. */
  readonly settingsOf: (connection: string) => ConnectionSettings;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createConnectionServices(): ConnectionServices {
  const connectionTable = readConnectionTable();
  const settingsOf = settingsReader(connectionTable);
  const table = createLedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
  const keyStore = createKeyStore({
    client: new SecretsManagerClient(CLIENT_SETTINGS),
    secretPrefix: readVariable('secretPrefix'),
    clock: systemClock,
    onKey: (connection, { keyVersion, key }) => liveKeys.add(connection, keyVersion, key),
  });
  const isDeclared = (connection: string) => Object.hasOwn(connectionTable.connections, connection);
  return {
    table,
    gates: createGates(table),
    keyStore,
    isKnown: createKnownConnections({ isDeclared, keyStore, clock: systemClock }),
    settingsOf,
    apiSettingsOf: (connection) => settingsOf(connection).api,
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
