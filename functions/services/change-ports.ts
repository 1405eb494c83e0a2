import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { ChangePorts } from '../../lib/changes/ports.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { createEventBus } from '../aws/events.ts';
import { createChangeItems } from '../aws/ledger/change-items.ts';
import { LedgerTable } from '../aws/ledger/ledger-table.ts';
import { createQueue, sqsClient } from '../aws/queue.ts';
import { hasVariable, readVariable } from './environment.ts';

/**
 * The ports of functions that compare exports, tell their changes or decide about them.
 *
 * @param table Of a function that has it. @default - one of its own
 * @throws SettingError naming the variable that is wrong.
 */
export function createChangePorts(table: LedgerTable = ownTable()): ChangePorts {
  const bus = readVariable('eventBus');
  return {
    clock: systemClock,
    random: systemRandom,
    ledger: createChangeItems(table),
    queue: createQueue(sqsClient(), readVariable('changeQueueUrl')),
    events: createEventBus(
      new EventBridgeClient(CLIENT_SETTINGS),
      bus,
      readVariable('integrationId'),
    ),
  };
}

/** `undefined` in a stack that compares no exports: it has no queue of changes. */
export function createChangePortsIfDeployed(table?: LedgerTable): ChangePorts | undefined {
  return hasVariable('changeQueueUrl') ? createChangePorts(table) : undefined;
}

function ownTable(): LedgerTable {
  return new LedgerTable(new DynamoDBClient(CLIENT_SETTINGS), readVariable('ledgerTable'));
}
