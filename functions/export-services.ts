import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { ExportSettings } from '../lib/exports/export-settings.ts';
import type { ExportPorts } from '../lib/exports/ports.ts';
import { type Redact, SettingError } from '../lib/index.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { createConnections } from './aws/connections.ts';
import { createEventBus } from './aws/events.ts';
import { createGates } from './aws/gates.ts';
import { createKeyStore } from './aws/key-store.ts';
import { createLedger } from './aws/ledger.ts';
import { createLedgerTable } from './aws/ledger-table.ts';
import { createWakeUpQueue } from './aws/queue.ts';
import { systemRandom } from './aws/random.ts';
import { type ConnectionSettings, connectionSettingsOf } from './connection-settings.ts';
import { readConnectionTable, readVariable } from './environment.ts';
import { createLiveKeys } from './middleware/live-keys.ts';
import { createLog, type Log } from './middleware/log.ts';

/** What the functions of exports work with; made once a process, when the function's file is loaded. */
export interface ExportServices {
  /** Without the store, whose client is the largest: only the worker needs it. */
  readonly ports: Omit<ExportPorts, 'store'>;
  /** `undefined` for a connection that the stack does not know. */
  readonly settingsOf: (connection: string) => ExportSettings | undefined;
  readonly sqs: SQSClient;
  readonly log: Log;
  readonly redact: Redact;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createExportServices(): ExportServices {
  const liveKeys = createLiveKeys();
  const settings = readSettings();
  const table = createLedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
  const sqs = new SQSClient(CLIENT_SETTINGS);
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

  return {
    ports: {
      clock: systemClock,
      random: systemRandom,
      ledger: createLedger(table),
      gates: createGates(table),
      queue: createWakeUpQueue(sqs, readVariable('exportQueueUrl')),
      connections: createConnections({ keyStore, apiSettingsOf }),
      events: createEventBus(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
    },
    settingsOf: (connection) => settings.get(connection)?.export,
    sqs,
    log: createLog({ redact: liveKeys.redact }),
    redact: liveKeys.redact,
  };
}

/** All of them now, so that a wrong one shows when the function starts and not in the middle of an export. */
function readSettings(): ReadonlyMap<string, ConnectionSettings> {
  const table = readConnectionTable();
  const settings = new Map<string, ConnectionSettings>();
  for (const connection of Object.keys(table.connections)) {
    const known = connectionSettingsOf(table, connection);
    if (known !== undefined) settings.set(connection, known);
  }
  return settings;
}
