import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { settingsOf as checkOptions } from '../../lib/customers-api/settings.ts';
import type { ExportSettings } from '../../lib/exports/export-settings.ts';
import type { ControlPorts } from '../../lib/exports/ports.ts';
import type { Redact } from '../../lib/key/redaction.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { createEventBus } from '../aws/events.ts';
import { createKeyConnections } from '../aws/key-connections.ts';
import { createLedger } from '../aws/ledger/ledger.ts';
import { createWakeUpQueue } from '../aws/queue.ts';
import type { Log } from '../middleware/log.ts';
import { liveKeys, processLog } from '../middleware/process-log.ts';
import { type ConnectionServices, createConnectionServices } from './connection-services.ts';
import { readVariable } from './environment.ts';

/**
 * What the functions work with that start exports and watch over them; made once a process, when the
 * function's file is loaded. They look whether there is a key and make no request with it: without the
 * HTTP client a function starts 30 to 40 ms sooner (npm run bench -- init).
 */
export interface ControlServices {
  readonly ports: ControlPorts;
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its exports may be. */
  readonly settingsOf: (connection: string) => ExportSettings;
  readonly sqs: SQSClient;
  readonly log: Log;
  readonly redact: Redact;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createControlServices(
  services: ConnectionServices = createConnectionServices(),
): ControlServices {
  const { table, gates, isKnown, settingsOf } = services;
  const sqs = new SQSClient(CLIENT_SETTINGS);
  return {
    ports: {
      clock: systemClock,
      random: systemRandom,
      ledger: createLedger(table),
      gates,
      queue: createWakeUpQueue(sqs, readVariable('exportQueueUrl')),
      connections: createKeyConnections(services, (options, key) => {
        checkOptions(options);
        return key;
      }),
      events: createEventBus(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
    },
    isKnown,
    settingsOf: (connection) => settingsOf(connection).export,
    sqs,
    log: processLog,
    redact: liveKeys.redact,
  };
}
