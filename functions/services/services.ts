import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { onSharedClock } from '../../lib/gate/gates-on-shared-clock.ts';
import type { Clock, Connections, GateOpenings, Gates, OpenKey } from '../../lib/gate/ports.ts';
import { clientSettings } from '../aws/client-settings.ts';
import { systemClock } from '../aws/clock-and-random.ts';
import { type Connect, createConnections, placedKey } from '../aws/connections.ts';
import { createKeyHolders } from '../aws/key-holders.ts';
import { createKeyStore } from '../aws/key-store.ts';
import { createKnownConnections } from '../aws/known-connections.ts';
import { createGates } from '../aws/ledger/gates.ts';
import { openLedger } from '../aws/ledger/ledger.ts';
import type { LedgerTable } from '../aws/ledger/ledger-table.ts';
import { liveKeys, processLog } from '../log/process-log.ts';
import {
  type ConnectionSettings,
  type ConnectionTable,
  connectionSettingsOf,
} from './connection-settings.ts';
import { hasVariable, readConnectionTable, readVariable } from './environment.ts';
import { refuseKeyOutput } from './refuse-key-output.ts';
import { reportingGates } from './reporting-gates.ts';

/** What every function needs that works for connections; made once a process, when its file is loaded. */
export interface Services<Open extends OpenKey> {
  readonly table: LedgerTable;
  /** That of this machine, set right by the ledger's: all that is stored goes by it. */
  readonly clock: Clock;
  readonly gates: Gates & GateOpenings;
  readonly connections: Connections<Open>;
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its exports and writes may be. */
  readonly settingsOf: (connection: string) => ConnectionSettings;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @param connect `withClient` for functions that make requests. The others take `keyAlone` and start sooner,
 * since their bundle then has no HTTP client.
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createServices<Open extends OpenKey>(connect: Connect<Open>): Services<Open> {
  refuseKeyOutput();
  const connectionTable = readConnectionTable();
  const settingsOf = settingsReader(connectionTable);
  const { table, shared, clock } = openLedger(
    new DynamoDBClient(clientSettings()),
    readVariable('ledgerTable'),
  );
  const secrets = new SecretsManagerClient(clientSettings());
  const keyStore = createKeyStore({
    client: secrets,
    secretPrefix: readVariable('secretPrefix'),
    clock: systemClock,
    onKey: (key) => liveKeys.add(key),
  });
  // A wait until a date would be over too early, or far too late, by a clock that is wrong.
  const { now } = clock;
  const apiSettingsOf = (connection: string) => ({ ...settingsOf(connection).api, now });
  const isDeclared = (connection: string) => Object.hasOwn(connectionTable.connections, connection);
  const keyOf = async (connection: string) => {
    const stored = await keyStore.read(connection, 'fresh');
    return stored.kind === 'key' ? placedKey(stored, apiSettingsOf(connection)) : undefined;
  };
  const holders = hasVariable('fingerprintSecret')
    ? createKeyHolders({
        client: secrets,
        secretId: readVariable('fingerprintSecret'),
        table,
        keyOf,
      })
    : undefined;
  return {
    table,
    clock,
    gates: reportingGates(onSharedClock(createGates(table), shared), {
      maxWaitSecondsOf: (connection) => settingsOf(connection).export.maxWaitSeconds,
      now,
      log: processLog,
    }),
    connections: createConnections(
      {
        ...{ keyStore, apiSettingsOf, holders },
        listsOf: (connection) => settingsOf(connection).lists,
        operationsOf: (connection) => settingsOf(connection).write.operations,
      },
      connect,
    ),
    isKnown: createKnownConnections({ isDeclared, keyStore, clock: systemClock }),
    settingsOf,
  };
}

/** Checks all of them now, so that a wrong one shows when the function starts and not in the middle of its work. */
function settingsReader(table: ConnectionTable): (connection: string) => ConnectionSettings {
  const shared = connectionSettingsOf(table, undefined);
  // Most are named in the table without a setting of their own, and every check makes a start longer.
  const withOwn = Object.entries(table.connections).filter(
    ([, own]) => Object.keys(own).length > 0,
  );
  const declared = new Map(withOwn.map(([name]) => [name, connectionSettingsOf(table, name)]));
  return (connection) => declared.get(connection) ?? shared;
}
