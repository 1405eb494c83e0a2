import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { EVENT_SOURCE } from '../../../functions/aws/events.ts';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import type { ConnectionSecrets } from './connection-secrets.ts';
import type { LedgerTable } from './ledger-table.ts';
import { allowSend } from './queue-statements.ts';
import type { WorkQueue } from './work-queue.ts';

export interface ExportResources {
  /** Names the integration in events. */
  readonly integrationId: string;
  readonly ledger: LedgerTable;
  readonly queue: WorkQueue;
  readonly secrets: ConnectionSecrets;
  readonly eventBus: IEventBus;
  readonly connectionTable: ConnectionTable;
}

export function connectionsVariable({ connectionTable }: ExportResources): Record<string, string> {
  return { [ENVIRONMENT.connections]: JSON.stringify(connectionTable) };
}

/** The environment of every function of exports. */
export function exportEnvironment(resources: ExportResources): Record<string, string> {
  const { integrationId, ledger, queue, secrets, eventBus } = resources;
  return {
    [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
    [ENVIRONMENT.exportQueueUrl]: queue.queue.queueUrl,
    [ENVIRONMENT.eventBus]: eventBus.eventBusName,
    [ENVIRONMENT.integrationId]: integrationId,
    [ENVIRONMENT.secretPrefix]: secrets.prefix,
    [ENVIRONMENT.fingerprintSecret]: secrets.fingerprintSecret.secretArn,
    ...connectionsVariable(resources),
  };
}

/** The permissions of every function of exports: send wake-ups, publish events. None reads keys by them. */
export function exportStatements(resources: ExportResources): readonly PolicyStatement[] {
  const { queue, eventBus } = resources;
  return [allowSend(queue.queue), allowPublish(eventBus)];
}

/** Events of this source alone: on a bus that others use, anything else would speak for them. */
export function allowPublish({ eventBusArn }: IEventBus): PolicyStatement {
  return new PolicyStatement({
    actions: ['events:PutEvents'],
    resources: [eventBusArn],
    conditions: { StringEquals: { 'events:source': EVENT_SOURCE } },
  });
}
