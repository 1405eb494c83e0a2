import type { OpenKey } from '../../lib/gate/ports.ts';
import { systemRandom } from '../aws/clock-and-random.ts';
import { createLedger } from '../aws/ledger/ledger.ts';
import { createWriteItems } from '../aws/ledger/write-items.ts';
import { createQueue, sqsClient } from '../aws/queue.ts';
import { processLog } from '../log/process-log.ts';
import { withLoggedChanges } from './announced-changes.ts';
import { hasVariable, readVariable } from './environment.ts';
import { openEventBus } from './event-bus.ts';
import type { Services } from './services.ts';

/**
 * The ports of functions that start exports, watch over them or, with a store, run their steps.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function createExportPorts<Open extends OpenKey>(services: Services<Open>) {
  const queue = createQueue(sqsClient(), readVariable('exportQueueUrl'), services.clock);
  return { ...commonPorts(services), ledger: createLedger(services.table), queue };
}

/**
 * The ports of functions that accept, watch over and settle writes or, with clients, send them.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function createWritePorts<Open extends OpenKey>(services: Services<Open>) {
  const queue = createQueue(sqsClient(), readVariable('writeQueueUrl'), services.clock);
  const ledger = createWriteItems(services.table, systemRandom);
  return { ...commonPorts(services), ledger, queue };
}

function commonPorts<Open extends OpenKey>({ clock, gates, connections }: Services<Open>) {
  const events = withLoggedChanges(openEventBus(), processLog);
  return { clock, random: systemRandom, gates, connections, events };
}

/** `undefined` in a stack that declares no operations: it has no queue of writes. */
export function createWritePortsIfDeployed<Open extends OpenKey>(services: Services<Open>) {
  return hasVariable('writeQueueUrl') ? createWritePorts(services) : undefined;
}

/** What routes of writes and the sweep work with. */
export type WriteControlPorts = ReturnType<typeof createWritePorts<OpenKey>>;
