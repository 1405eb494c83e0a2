import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { ChangePorts } from '../../lib/changes/ports.ts';
import type { OpenKey } from '../../lib/gate/ports.ts';
import { clientSettings } from '../aws/client-settings.ts';
import { systemRandom } from '../aws/clock-and-random.ts';
import { createEventBus, type EventBus } from '../aws/events.ts';
import { createChangeItems } from '../aws/ledger/change-items.ts';
import { createLedger, openLedger } from '../aws/ledger/ledger.ts';
import { createWriteItems } from '../aws/ledger/write-items.ts';
import { createQueue, sqsClient } from '../aws/queue.ts';
import { liveKeys } from '../log/process-log.ts';
import { hasVariable, readVariable } from './environment.ts';
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
  return { ...commonPorts(services), ledger, queue, holdsKey: liveKeys.holdsKey };
}

function commonPorts<Open extends OpenKey>({ clock, gates, connections }: Services<Open>) {
  return { clock, random: systemRandom, gates, connections, events: openEventBus() };
}

/** `undefined` in a stack that declares no operations: it has no queue of writes. */
export function createWritePortsIfDeployed<Open extends OpenKey>(services: Services<Open>) {
  return hasVariable('writeQueueUrl') ? createWritePorts(services) : undefined;
}

/** What routes of writes and the sweep work with. */
export type WriteControlPorts = ReturnType<typeof createWritePorts<OpenKey>>;

type LedgerServices = Pick<Services<never>, 'table' | 'clock'>;

/**
 * The ports of functions that compare exports, tell their changes or decide about them.
 *
 * @param ledger Of a function that has it. @default - one of its own
 * @throws SettingError naming the variable that is wrong.
 */
export function createChangePorts(
  ledger: LedgerServices = openLedger(
    new DynamoDBClient(clientSettings()),
    readVariable('ledgerTable'),
  ),
): ChangePorts {
  return {
    clock: ledger.clock,
    random: systemRandom,
    ledger: createChangeItems(ledger.table),
    queue: createQueue(sqsClient(), readVariable('changeQueueUrl'), ledger.clock),
    events: openEventBus(),
  };
}

/** `undefined` in a stack that compares no exports: it has no queue of changes. */
export function createChangePortsIfDeployed(ledger?: LedgerServices): ChangePorts | undefined {
  return hasVariable('changeQueueUrl') ? createChangePorts(ledger) : undefined;
}

/**
 * The bus that the stack publishes to.
 *
 * @throws SettingError naming the variable that is wrong.
 */
export function openEventBus(): EventBus {
  const client = new EventBridgeClient(clientSettings());
  return createEventBus(client, readVariable('eventBus'), readVariable('integrationId'));
}
