import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { ConnectionTable } from '../../../functions/services/connection-settings.ts';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { SettingError } from '../../../lib/errors.ts';
import { allowSend, type ExportQueue } from '../exports/export-queue.ts';
import type { ConnectionSecrets } from './connection-secrets.ts';
import type { LedgerTable } from './ledger-table.ts';

export interface ExportResources {
  /** Names the integration in events. */
  readonly integrationId: string;
  readonly ledger: LedgerTable;
  readonly queue: ExportQueue;
  readonly secrets: ConnectionSecrets;
  readonly eventBus: IEventBus;
  readonly connectionTable: ConnectionTable;
}

/** Lambda's limit for all environment variables is 4 KB; the others are names and URLs below 150 bytes. */
const MAX_CONNECTIONS_BYTES = 3_000;

/** @throws SettingError when the connections do not fit into the environment of a function. */
export function connectionsVariable({ connectionTable }: ExportResources): Record<string, string> {
  const connections = JSON.stringify(connectionTable);
  const bytes = Buffer.byteLength(connections);
  if (bytes > MAX_CONNECTIONS_BYTES) {
    throw new SettingError(
      'connections',
      `the settings of all connections take ${bytes} bytes, and at most ${MAX_CONNECTIONS_BYTES} fit into the environment of a function. Set what is the same for all of them once, above connections, or deploy a second stack`,
    );
  }
  return { [ENVIRONMENT.connections]: connections };
}

/** The environment of every function of exports. Throws as {@link connectionsVariable}. */
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

export function allowPublish({ eventBusArn }: IEventBus): PolicyStatement {
  return new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBusArn] });
}
