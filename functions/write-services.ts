import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connections } from '../lib/exports/ports.ts';
import type { WritePorts } from '../lib/writes/ports.ts';
import type { WriteSettings } from '../lib/writes/write-settings.ts';
import { CLIENT_SETTINGS } from './aws/client-settings.ts';
import { systemClock } from './aws/clock.ts';
import { createWriteEvents } from './aws/events.ts';
import { createWriteQueue } from './aws/queue.ts';
import { systemRandom } from './aws/random.ts';
import { createSlotReservation } from './aws/slot-reservation.ts';
import { createWriteItems, type WriteItems } from './aws/write-items.ts';
import type { ClientServices } from './client-services.ts';
import { hasVariable, readVariable } from './environment.ts';

/** What the functions of writes work with; made once a process. */
export interface WriteServices {
  readonly ports: WritePorts & {
    readonly ledger: WriteItems;
    readonly connections: Connections;
  };
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its writes may be. */
  readonly settingsOf: (connection: string) => WriteSettings;
}

/** @throws SettingError naming the variable that is wrong. */
export function createWriteServices(services: ClientServices): WriteServices {
  const { table, gates, connections, isKnown, settingsOf, clientOf } = services;
  return {
    ports: {
      clock: systemClock,
      random: systemRandom,
      ledger: createWriteItems(table, systemRandom),
      gates: { ...gates, ...createSlotReservation(table) },
      queue: createWriteQueue(new SQSClient(CLIENT_SETTINGS), readVariable('writeQueueUrl')),
      events: createWriteEvents(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
      clients: { of: clientOf },
      connections,
    },
    isKnown,
    settingsOf: (connection) => settingsOf(connection).write,
  };
}

/** `undefined` in a stack that declares no operations: it has no queue of writes. */
export function createWriteServicesIfDeployed(services: ClientServices): WriteServices | undefined {
  return hasVariable('writeQueueUrl') ? createWriteServices(services) : undefined;
}
