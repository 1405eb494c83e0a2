import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { ChangePorts } from '../../lib/changes/ports.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemClock, systemRandom } from '../aws/clock-and-random.ts';
import { createEventBus } from '../aws/events.ts';
import { createChangeItems } from '../aws/ledger/change-items.ts';
import { hearLedgerClock } from '../aws/ledger/ledger-clock.ts';
import { LedgerTable } from '../aws/ledger/ledger-table.ts';
import { createQueue, sqsClient } from '../aws/queue.ts';
import { hasVariable, readVariable } from './environment.ts';
import type { Services } from './services.ts';

type LedgerServices = Pick<Services<never>, 'table' | 'clock'>;

/**
 * The ports of functions that compare exports, tell their changes or decide about them.
 *
 * @param ledger Of a function that has it. @default - one of its own
 * @throws SettingError naming the variable that is wrong.
 */
export function createChangePorts(ledger: LedgerServices = ownLedger()): ChangePorts {
  const bus = readVariable('eventBus');
  return {
    clock: ledger.clock,
    random: systemRandom,
    ledger: createChangeItems(ledger.table),
    queue: createQueue(sqsClient(), readVariable('changeQueueUrl'), ledger.clock),
    events: createEventBus(
      new EventBridgeClient(CLIENT_SETTINGS),
      bus,
      readVariable('integrationId'),
    ),
  };
}

/** `undefined` in a stack that compares no exports: it has no queue of changes. */
export function createChangePortsIfDeployed(ledger?: LedgerServices): ChangePorts | undefined {
  return hasVariable('changeQueueUrl') ? createChangePorts(ledger) : undefined;
}

function ownLedger(): LedgerServices {
  const client = new DynamoDBClient(CLIENT_SETTINGS);
  const { now } = hearLedgerClock(client);
  const table = new LedgerTable(client, readVariable('ledgerTable'));
  return { table, clock: { ...systemClock, now } };
}
