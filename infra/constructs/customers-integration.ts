import { Duration } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import type { Function as OwnFunction } from 'aws-cdk-lib/aws-lambda';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { type ConnectionTable, hasOperations } from '../../functions/connection-settings.ts';
import { SettingError } from '../../lib/index.ts';
import { type AlarmSettings, DEFAULT_NO_COMPLETE_EXPORT_HOURS } from '../alarm-settings.ts';
import { checkConnectionTable } from '../connection-table.ts';
import type { GivenSchedule } from '../schedule-settings.ts';
import { grantClient } from './client-access.ts';
import { ConnectionSecrets } from './connection-secrets.ts';
import { ExportEvents } from './export-events.ts';
import { acknowledgeLastStop, ExportQueue } from './export-queue.ts';
import type { ExportResources } from './export-resources.ts';
import { ExportSchedules } from './export-schedules.ts';
import { ExportStore } from './export-store.ts';
import { HttpApi, type HttpApiSettings } from './http-api.ts';
import { LedgerTable } from './ledger-table.ts';
import { MeasureExports } from './measure-exports.ts';
import { Operations } from './operations.ts';
import { RUN_EXPORT_TIMEOUT, RunExportFunction } from './run-export-function.ts';
import { StartExportFunction } from './start-export-function.ts';
import { Sweep } from './sweep.ts';
import { Writes } from './writes.ts';

const DEFAULT_SECRET_PREFIX = 'customers-api/';

const HTTP_API_EXPECTED =
  'expected settings or nothing, since operations are declared: an unclear write is settled by a person over the HTTP API';

export interface CustomersIntegrationProps {
  /** The settings that all connections share, and those of single ones by name. */
  readonly connectionTable: ConnectionTable;
  /** For every connection that has none of its own: `rate(…)` or `cron(…)`, or all settings. @default - none */
  readonly schedule?: GivenSchedule | undefined;
  /** By connection, like `schedule`. @default - the schedule for all, or exports are started otherwise */
  readonly schedules?: Readonly<Record<string, GivenSchedule>> | undefined;
  /** Steps of exports at once, 2 to 1,000. @default 50 */
  readonly maxConcurrentExports?: number | undefined;
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

/** Exports all customers of each connection to S3, and carries out writes, as slowly as the API wants it. */
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
  /** `undefined` when no connection declares an operation. */
  readonly writes: Writes | undefined;
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

    const worker = new RunExportFunction(this, 'RunExport', {
      resources,
      store: this.store,
      maxConcurrentExports: props.maxConcurrentExports,
    });
    this.startExport = new StartExportFunction(this, 'StartExport', {
      resources,
      undelivered: this.undelivered,
    });
    const { undelivered } = this;
    if (hasOperations(connectionTable)) {
      if (props.httpApi === false) throw new SettingError('httpApi', HTTP_API_EXPECTED);
      this.writes = new Writes(this, 'Writes', { resources, undelivered });
    }
    const { writes } = this;
    const { httpApi = {} } = props;
    if (httpApi !== false) {
      this.httpApi = new HttpApi(this, 'HttpApi', { resources, writes, ...httpApi });
    }
    const sweep = new Sweep(this, 'Sweep', { resources, writes, undelivered });
    new ExportEvents(this, 'Events', {
      eventBus: resources.eventBus,
      startExport: this.startExport,
      undelivered: this.undelivered,
    });
    const schedules = new ExportSchedules(this, 'Schedules', {
      resources,
      startExport: this.startExport,
      undelivered: this.undelivered,
      schedule: props.schedule,
      schedules: props.schedules,
    });
    new Operations(this, 'Operations', {
      watched: {
        worker,
        start: this.startExport,
        startAll: schedules.startAll,
        sweep: sweep.function,
        measure: this.#measure(schedules, props.alarms),
        httpApi: this.httpApi?.function,
        queue: this.queue.queue,
        deadLetterQueue: this.queue.deadLetterQueue,
        undelivered: this.undelivered,
        table: this.ledger.table,
        writes,
      },
      alarms: props.alarms ?? {},
    });
  }

  /** Lets a function of your own use the middleware `customersClient` of `customers-functions/lambda`. */
  grantClient(own: OwnFunction): void {
    grantClient(own, this.#resources);
  }

  /** Only a connection with a schedule says by itself how often it should have a complete export. */
  #measure(
    { isForAll, scheduled, except }: ExportSchedules,
    alarms: CustomersIntegrationProps['alarms'],
  ) {
    if (!isForAll && scheduled.length === 0) return undefined;
    const { noCompleteExportHours = DEFAULT_NO_COMPLETE_EXPORT_HOURS } = alarms || {};
    const { store, undelivered } = this;
    return new MeasureExports(this, 'Measure', {
      measured: { all: isForAll, names: scheduled, except, overdueHours: noCompleteExportHours },
      secrets: this.#resources.secrets,
      store,
      undelivered,
    }).function;
  }
}
