import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Function as OwnFunction } from 'aws-cdk-lib/aws-lambda';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ConnectionTable } from '../../functions/connection-settings.ts';
import { SettingError } from '../../lib/index.ts';
import type { AlarmSettings } from '../alarm-settings.ts';
import { checkConnectionTable } from '../connection-table.ts';
import type { ScheduleSettings } from '../schedule-settings.ts';
import { grantClient } from './client-access.ts';
import { ConnectionSecrets } from './connection-secrets.ts';
import { ExportEvents } from './export-events.ts';
import { acknowledgeLastStop, ExportQueue } from './export-queue.ts';
import type { ExportResources } from './export-resources.ts';
import { ExportSchedule } from './export-schedule.ts';
import { ExportStore } from './export-store.ts';
import { HttpApi, type HttpApiSettings } from './http-api.ts';
import { LedgerTable } from './ledger-table.ts';
import { MeasureExports } from './measure-exports.ts';
import { Operations } from './operations.ts';
import { RUN_EXPORT_TIMEOUT, RunExportFunction } from './run-export-function.ts';
import { SchedulerRole } from './scheduler-role.ts';
import { StartExportFunction } from './start-export-function.ts';
import { Sweep } from './sweep.ts';

const DEFAULT_SECRET_PREFIX = 'customers-api/';

export interface CustomersIntegrationProps {
  /** The connections by name, and the settings that all of them share. */
  readonly connectionTable: ConnectionTable;
  /** By connection: `rate(…)` or `cron(…)`, or all settings. @default - exports are started otherwise */
  readonly schedules?: Readonly<Record<string, string | ScheduleSettings>> | undefined;
  /** Name of the EventBridge bus that events are published to and asked for on. @default 'default' */
  readonly eventBus?: string | undefined;
  /** The key of a connection is the secret `<secretPrefix><connection>`. @default 'customers-api/' */
  readonly secretPrefix?: string | undefined;
  /** After how many days S3 deletes the objects of an export. @default - they are kept */
  readonly keepExportsDays?: number | undefined;
  /** `false`: there is no HTTP API. @default - one whose callers are authorized by IAM */
  readonly httpApi?: HttpApiSettings | false | undefined;
  /** `false`: there are no alarms. @default - alarms that tell nobody, see {@link AlarmSettings} */
  readonly alarms?: AlarmSettings | false | undefined;
}

/** Exports all customers of each connection to S3, as slowly as the API wants it. */
export class CustomersIntegration extends Construct {
  readonly store: ExportStore;
  readonly ledger: LedgerTable;
  readonly queue: ExportQueue;
  readonly startExport: StartExportFunction;
  /** Put before a connection's name to give the name of its secret. */
  readonly secretPrefix: string;
  /** Takes starts, sweeps and events that could not be handed over, understood, or done again and again. */
  readonly undelivered: Queue;
  /** `undefined` when it is left out. */
  readonly httpApi: HttpApi | undefined;
  readonly #resources: ExportResources;

  /** @throws SettingError naming what is wrong with a connection or a schedule. */
  constructor(scope: Construct, id: string, props: CustomersIntegrationProps) {
    super(scope, id);
    const { connectionTable, secretPrefix = DEFAULT_SECRET_PREFIX, eventBus = 'default' } = props;
    checkConnectionTable(connectionTable);
    this.secretPrefix = secretPrefix;
    this.ledger = new LedgerTable(this, 'Ledger');
    this.store = new ExportStore(this, 'Store', { keepExportsDays: props.keepExportsDays });
    this.queue = new ExportQueue(this, 'Exports', { workerTimeout: RUN_EXPORT_TIMEOUT });
    this.undelivered = new Queue(this, 'Undelivered', {
      retentionPeriod: Duration.days(14), // SQS's maximum: time to look
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
    });
    acknowledgeLastStop(this.undelivered);
    const resources: ExportResources = {
      ledger: this.ledger,
      queue: this.queue,
      secrets: new ConnectionSecrets(this, 'Secrets', secretPrefix),
      eventBus: EventBus.fromEventBusName(this, 'EventBus', eventBus),
      connectionTable,
    };
    this.#resources = resources;

    const worker = new RunExportFunction(this, 'RunExport', { resources, store: this.store });
    this.startExport = new StartExportFunction(this, 'StartExport', {
      resources,
      undelivered: this.undelivered,
    });
    const { httpApi = {} } = props;
    if (httpApi !== false) this.httpApi = new HttpApi(this, 'HttpApi', { resources, ...httpApi });
    const sweep = new Sweep(this, 'Sweep', { resources, undelivered: this.undelivered });
    new ExportEvents(this, 'Events', {
      eventBus: resources.eventBus,
      startExport: this.startExport,
      undelivered: this.undelivered,
    });
    this.#addSchedules(props);
    new Operations(this, 'Operations', {
      watched: {
        worker,
        start: this.startExport,
        sweep: sweep.function,
        measure: this.#measureScheduled(props.schedules),
        httpApi: this.httpApi?.function,
        queue: this.queue.queue,
        deadLetterQueue: this.queue.deadLetterQueue,
        undelivered: this.undelivered,
        table: this.ledger.table,
      },
      alarms: props.alarms ?? {},
    });
  }

  /** Lets a function of your own use the middleware `customersClient` of `customers-functions/lambda`. */
  grantClient(own: OwnFunction): void {
    grantClient(own, this.#resources);
  }

  /** Only a connection with a schedule says by itself how often it should have a complete export. */
  #measureScheduled(schedules: CustomersIntegrationProps['schedules'] = {}) {
    const connections = Object.entries(schedules)
      .filter(([, schedule]) => typeof schedule === 'string' || schedule.enabled !== false)
      .map(([connection]) => connection);
    if (connections.length === 0) return undefined;
    const { store, undelivered } = this;
    return new MeasureExports(this, 'Measure', { connections, store, undelivered }).function;
  }

  #addSchedules({ connectionTable, schedules = {} }: CustomersIntegrationProps): void {
    if (Object.keys(schedules).length === 0) return;
    const group = new ScheduleGroup(this, 'Schedules');
    const { role } = new SchedulerRole(this, 'SchedulerRole', {
      group,
      startExport: this.startExport,
      undelivered: this.undelivered,
    });
    for (const [connection, schedule] of Object.entries(schedules)) {
      if (!Object.hasOwn(connectionTable.connections, connection)) {
        throw new SettingError(`schedules.${connection}`, 'there is no such connection');
      }
      new ExportSchedule(this, `Schedule-${connection}`, {
        connection,
        schedule,
        group,
        role,
        startExport: this.startExport,
        undelivered: this.undelivered,
      });
    }
  }
}
