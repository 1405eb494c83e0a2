import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ConnectionTable } from '../../functions/connection-settings.ts';
import { ConnectionSecrets } from './connection-secrets.ts';
import { ExportQueue } from './export-queue.ts';
import type { ExportResources } from './export-resources.ts';
import { ExportSchedule } from './export-schedule.ts';
import { ExportStore } from './export-store.ts';
import { LedgerTable } from './ledger-table.ts';
import { RUN_EXPORT_TIMEOUT, RunExportFunction } from './run-export-function.ts';
import { StartExportFunction } from './start-export-function.ts';
import { Sweep } from './sweep.ts';

const DEFAULT_SECRET_PREFIX = 'customers-api/';

export interface CustomersIntegrationProps {
  /** The connections by name, and the settings that all of them share. */
  readonly connectionTable: ConnectionTable;
  /** `rate(…)` or `cron(…)` in UTC by connection. @default - exports are started by hand or by event */
  readonly schedules?: Readonly<Record<string, string>> | undefined;
  /** The key of a connection is the secret `<secretPrefix><connection>`. @default 'customers-api/' */
  readonly secretPrefix?: string | undefined;
  /** After how many days S3 deletes the objects of an export. @default - they are kept */
  readonly keepExportsDays?: number | undefined;
}

/** Exports all customers of each connection to S3, as slowly as the API wants it. */
export class CustomersIntegration extends Construct {
  readonly store: ExportStore;
  readonly ledger: LedgerTable;
  readonly queue: ExportQueue;
  readonly startExport: StartExportFunction;
  /** Put before a connection's name to give the name of its secret. */
  readonly secretPrefix: string;
  /** Takes starts and sweeps that could not be handed over, or failed again and again. */
  readonly undelivered: Queue;

  constructor(scope: Construct, id: string, props: CustomersIntegrationProps) {
    super(scope, id);
    const { connectionTable, schedules = {}, secretPrefix = DEFAULT_SECRET_PREFIX } = props;
    this.secretPrefix = secretPrefix;
    this.ledger = new LedgerTable(this, 'Ledger');
    this.store = new ExportStore(this, 'Store', { keepExportsDays: props.keepExportsDays });
    this.queue = new ExportQueue(this, 'Exports', { workerTimeout: RUN_EXPORT_TIMEOUT });
    this.undelivered = new Queue(this, 'Undelivered', {
      retentionPeriod: Duration.days(14), // SQS's maximum: time to look
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    const resources: ExportResources = {
      ledger: this.ledger,
      queue: this.queue,
      secrets: new ConnectionSecrets(this, 'Secrets', secretPrefix),
      eventBus: EventBus.fromEventBusName(this, 'EventBus', 'default'),
      connectionTable,
    };

    new RunExportFunction(this, 'RunExport', { resources, store: this.store });
    this.startExport = new StartExportFunction(this, 'StartExport', {
      resources,
      undelivered: this.undelivered,
    });
    new Sweep(this, 'Sweep', { resources, undelivered: this.undelivered });
    for (const [connection, expression] of Object.entries(schedules)) {
      new ExportSchedule(this, `Schedule-${connection}`, {
        connection,
        expression,
        startExport: this.startExport,
        undelivered: this.undelivered,
      });
    }
  }
}
