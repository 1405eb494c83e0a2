import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { ChangePorts } from '../../lib/changes/ports.ts';
import { CLIENT_SETTINGS } from '../aws/client-settings.ts';
import { systemRandom } from '../aws/clock-and-random.ts';
import { createChangeItems } from '../aws/ledger/change-items.ts';
import { openLedger } from '../aws/ledger/open-ledger.ts';
import { createQueue, sqsClient } from '../aws/queue.ts';
import { hasVariable, readVariable } from './environment.ts';
import { openEventBus } from './event-bus.ts';
import type { Services } from './services.ts';

type LedgerServices = Pick<Services<never>, 'table' | 'clock'>;

/**
 * The ports of functions that compare exports, tell their changes or decide about them.
 *
 * @param ledger Of a function that has it. @default - one of its own
 * @throws SettingError naming the variable that is wrong.
 */
export function createChangePorts(
  ledger: LedgerServices = openLedger(
    new DynamoDBClient(CLIENT_SETTINGS),
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
