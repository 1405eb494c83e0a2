import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { OpenKey } from '../../lib/gate/ports.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { createEventBus, createWriteEvents } from '../aws/events.ts';
import { createLedger } from '../aws/ledger/ledger.ts';
import { createWriteItems } from '../aws/ledger/write-items.ts';
import { createWakeUpQueue, createWriteQueue, sqsClient } from '../aws/queue.ts';
import { hasVariable, readVariable } from './environment.ts';
import type { Services } from './services.ts';

/**
 * The ports of functions that start exports, watch over them or, with a store, run their steps.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function createExportPorts<Open extends OpenKey>(services: Services<Open>) {
  const { table, gates, connections } = services;
  return {
    clock: systemClock,
    random: systemRandom,
    ledger: createLedger(table),
    gates,
    queue: createWakeUpQueue(sqsClient(), readVariable('exportQueueUrl')),
    connections,
    events: createEventBus(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
  };
}

/**
 * The ports of functions that accept, watch over and settle writes or, with clients, send them.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function createWritePorts<Open extends OpenKey>(services: Services<Open>) {
  const { table, gates, connections } = services;
  return {
    clock: systemClock,
    random: systemRandom,
    ledger: createWriteItems(table, systemRandom),
    gates,
    queue: createWriteQueue(sqsClient(), readVariable('writeQueueUrl')),
    connections,
    events: createWriteEvents(new EventBridgeClient(CLIENT_SETTINGS), readVariable('eventBus')),
  };
}

/** `undefined` in a stack that declares no operations: it has no queue of writes. */
export function createWritePortsIfDeployed<Open extends OpenKey>(services: Services<Open>) {
  return hasVariable('writeQueueUrl') ? createWritePorts(services) : undefined;
}

/** What routes of writes and the sweep work with. */
export type WriteControlPorts = ReturnType<typeof createWritePorts<OpenKey>>;
