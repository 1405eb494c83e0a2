import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import type { Connections, OpenKey } from '../../lib/gate/ports.ts';
import type { WritePorts } from '../../lib/writes/ports.ts';
import type { WriteSettings } from '../../lib/writes/write-settings.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { createWriteEvents } from '../aws/events.ts';
import { createWriteItems, type WriteItems } from '../aws/ledger/write-items.ts';
import { createWriteQueue } from '../aws/queue.ts';
import type { ClientServices } from './client-services.ts';
import type { ConnectionServices } from './connection-services.ts';
import { hasVariable, readVariable } from './environment.ts';

/** What the functions work with that accept, watch over and settle writes; made once a process. */
export interface WriteControl {
  readonly ports: Omit<WritePorts, 'clients'> & {
    readonly ledger: WriteItems;
    readonly connections: Connections<OpenKey>;
  };
  /** Whether there is such a connection: one with a secret, or one that the settings name. */
  readonly isKnown: (connection: string) => Promise<boolean>;
  /** Also of a connection that is not there: its writes may be. */
  readonly settingsOf: (connection: string) => WriteSettings;
}

/** The same for who sends writes. */
export interface WriteServices extends WriteControl {
  readonly ports: WriteControl['ports'] & Pick<WritePorts, 'clients'>;
}

/** @throws SettingError naming the variable that is wrong. */
export function createWriteServices(services: ClientServices): WriteServices {
  const { ports, ...control } = createWriteControl(services, services.connections);
  return { ...control, ports: { ...ports, clients: { of: services.clientOf } } };
}

/** `undefined` in a stack that declares no operations: it has no queue of writes. */
export function createWriteControlIfDeployed(
  services: ConnectionServices,
  connections: Connections<OpenKey>,
): WriteControl | undefined {
  return hasVariable('writeQueueUrl') ? createWriteControl(services, connections) : undefined;
}

function createWriteControl(
  { table, gates, isKnown, settingsOf }: ConnectionServices,
  connections: Connections<OpenKey>,
): WriteControl {
  return {
    ports: {
      clock: systemClock,
      random: systemRandom,
      ledger: createWriteItems(table, systemRandom),
      gates,
      queue: createWriteQueue(new SQSClient(CLIENT_SETTINGS), readVariable('writeQueueUrl')),
      events: createWriteEvents(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
      connections,
    },
    isKnown,
    settingsOf: (connection) => settingsOf(connection).write,
  };
}
