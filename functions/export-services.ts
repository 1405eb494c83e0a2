import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { ExportSettings } from '../lib/exports/export-settings.ts';
import type { ControlPorts } from '../lib/exports/ports.ts';
import type { Redact } from '../lib/index.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { createEventBus } from './aws/events.ts';
import { createLedger } from './aws/ledger.ts';
import { createWakeUpQueue } from './aws/queue.ts';
import { systemRandom } from './aws/random.ts';
import { type ClientServices, createClientServices } from './client-services.ts';
import { readVariable } from './environment.ts';
import type { GatedClient } from './gated-client.ts';
import type { Log } from './middleware/log.ts';
import { liveKeys, processLog } from './middleware/process-log.ts';

/** What the functions of exports work with; made once a process, when the function's file is loaded. */
export interface ExportServices {
  /** Without the store, whose client is the largest: only the worker needs it. */
  readonly ports: ControlPorts;
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its exports may be. */
  readonly settingsOf: (connection: string) => ExportSettings;
  /** For requests beside the exports of the connection. */
  readonly clientOf: (connection: string) => GatedClient;
  readonly sqs: SQSClient;
  readonly log: Log;
  readonly redact: Redact;
}

/**
 * Makes the clients and adapters from the environment that the stack sets.
 *
 * @param services To be shared with other services of the process. @default - its own
 * @throws SettingError naming the variable, or the setting, that is wrong.
 */
export function createExportServices(
  services: ClientServices = createClientServices(),
): ExportServices {
  const { table, gates, connections, isKnown, settingsOf, clientOf } = services;
  const sqs = new SQSClient(CLIENT_SETTINGS);
  return {
    ports: {
      clock: systemClock,
      random: systemRandom,
      ledger: createLedger(table),
      gates,
      queue: createWakeUpQueue(sqs, readVariable('exportQueueUrl')),
      connections,
      events: createEventBus(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
    },
    isKnown,
    settingsOf: (connection) => settingsOf(connection).export,
    clientOf,
    sqs,
    log: processLog,
    redact: liveKeys.redact,
  };
}
