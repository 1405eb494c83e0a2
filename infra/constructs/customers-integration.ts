import { Annotations, Duration, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import {
  hasOperations,
  hasRecordEvents,
  listsOfAll,
} from '../../functions/services/connection-settings.ts';
import { SettingError } from '../../lib/errors.ts';
import { INTEGRATION_ID } from '../../lib/names.ts';
import { ID_EXPECTED } from '../settings/identity-settings.ts';
import { repeatedPaths } from '../settings/repeated-path.ts';
import { Changes } from './changes/changes.ts';
import { checkPlace } from './check-place.ts';
import { checkedProps } from './checked-props.ts';
import { CustomersGrants } from './customers-grants.ts';
import { DescribeExports } from './exports/describe-exports.ts';
import { ExportSchedules } from './exports/export-schedules.ts';
import { ExportTables } from './exports/export-tables.ts';
import { RUN_EXPORT_TIMEOUT, RunExportFunction } from './exports/run-export-function.ts';
import { ExportEvents, StartExportFunction } from './exports/start-export-function.ts';
import { Sweep } from './exports/sweep.ts';
import { claimIdentity } from './foundation/claim-identity.ts';
import { ConnectionSecrets } from './foundation/connection-secrets.ts';
import { privateQueue } from './foundation/encryption.ts';
import type { ExportResources } from './foundation/export-resources.ts';
import { ExportStore } from './foundation/export-store.ts';
import { layFoundationFrom } from './foundation/foundation-props.ts';
import { LedgerTable } from './foundation/ledger-table.ts';
import { acknowledgeLastStop, WorkQueue } from './foundation/work-queue.ts';
import { HttpApi, type HttpApiSettings } from './http-api.ts';
import { IntegrationOutputs } from './integration-outputs.ts';
import type { CustomersIntegrationProps } from './integration-props.ts';
import { DEFAULT_NO_COMPLETE_EXPORT_AFTER } from './operations/alarms.ts';
import type { IntegrationMetrics } from './operations/integration-metrics.ts';
import { MeasureExports } from './operations/measure-exports.ts';
import { Operations } from './operations/operations.ts';
import { Writes } from './writes/writes.ts';

/** Ids have no slash, so no integration reads what is under the prefix of another. */
const SECRETS_ROOT = 'customers-functions/';
const DEFAULT_BUS = 'default';

const HTTP_API_EXPECTED =
  'expected settings or nothing, since operations are declared: an unclear write is settled by a person over the HTTP API';

const COMPARISON_EXPECTED =
  'expected false or nothing, since describeExports is false: the function that describes exports compares them too';

const EVENTS_EXPECTED =
  'expected true or nothing, since changes.events asks for events of records: without a comparison there are none';

const TABLES_EXPECTED =
  'expected false, since describeExports is false: the function that describes exports also tells the tables which parts to read';

/** Exports all customers of each connection to S3, and carries out writes, within the API's rate limits. */
export class CustomersIntegration extends CustomersGrants {
  readonly store: ExportStore;
  readonly ledger: LedgerTable;
  readonly queue: WorkQueue;
  readonly startExport: StartExportFunction;
  readonly runExport: RunExportFunction;
  /** Events to and from this integration name it as `integration`. */
  readonly integrationId: string;
  /** The secret of a connection is `<secretPrefix><connection>`. */
  readonly secretPrefix: string;
  /** Keeps starts, sweeps and events that could not be delivered or parsed, or that failed again and again. */
  readonly undelivered: Queue;
  /** `undefined` when `describeExports` is `false`. */
  readonly descriptions: DescribeExports | undefined;
  /** `undefined` when `compareExports` is `false`. */
  readonly changes: Changes | undefined;
  /** `undefined` when `tables` is `false`. */
  readonly tables: ExportTables | undefined;
  /** `undefined` when `httpApi` is `false`. */
  readonly httpApi: HttpApi | undefined;
  /** `undefined` when no connection declares an operation. */
  readonly writes: Writes | undefined;
  protected readonly metrics: IntegrationMetrics;
  protected readonly resources: ExportResources;

  /** @throws SettingError naming the prop that is wrong. */
  constructor(scope: Construct, id: string, given: CustomersIntegrationProps) {
    super(scope, id);
    const props = checkedProps(given);
    checkPlace(this, props);
    const { connectionTable, httpApi = {} } = props;
    ({ integrationId: this.integrationId, secretPrefix: this.secretPrefix } = identify(
      this,
      props,
    ));
    layFoundationFrom(this, props);
    this.ledger = new LedgerTable(this, 'Ledger', props);
    this.store = new ExportStore(this, 'Store', props);
    this.queue = new WorkQueue(this, 'Exports', { workerTimeout: RUN_EXPORT_TIMEOUT });
    this.undelivered = undeliveredQueue(this);
    const { integrationId, undelivered } = this;
    for (const warning of repeatedPaths(connectionTable)) {
      Annotations.of(this).addWarningV2('customers-functions:baseUrl', warning);
    }
    const resources: ExportResources = {
      integrationId,
      ledger: this.ledger,
      queue: this.queue,
      secrets: new ConnectionSecrets(this, 'Secrets', this.secretPrefix),
      eventBus: props.eventBus ?? EventBus.fromEventBusName(this, 'EventBus', DEFAULT_BUS),
      connectionTable,
    };
    this.resources = resources;

    this.runExport = new RunExportFunction(this, 'RunExport', {
      resources,
      store: this.store,
      maxConcurrentExports: props.maxConcurrentExports,
    });
    this.startExport = new StartExportFunction(this, 'StartExport', {
      resources,
      undelivered: this.undelivered,
    });
    if (hasOperations(connectionTable)) {
      if (httpApi === false) throw new SettingError('httpApi', HTTP_API_EXPECTED);
      this.writes = new Writes(this, 'Writes', { resources, undelivered });
    }
    this.changes = this.#changesOf(props);
    this.descriptions = this.#descriptionsOf(props);
    this.tables = this.#tablesOf(props);
    this.httpApi = this.#httpApiOf(httpApi);
    const { writes, changes } = this;
    const sweep = new Sweep(this, 'Sweep', { resources, writes, changes, undelivered });
    const { startExport } = this;
    const { eventBus } = resources;
    new ExportEvents(this, 'Events', { integrationId, eventBus, startExport, undelivered });
    const schedules = new ExportSchedules(this, 'Schedules', {
      resources,
      startExport,
      undelivered,
      places: props,
    });
    const operations = this.#operationsOf(sweep, schedules, props.alarms);
    this.metrics = operations.metrics;
    this.#output(operations, props);
  }

  #descriptionsOf({ describeExports }: CustomersIntegrationProps): DescribeExports | undefined {
    if (describeExports === false) return undefined;
    const { store, undelivered, changes, resources } = this;
    return new DescribeExports(this, 'Descriptions', { resources, store, undelivered, changes });
  }

  #changesOf({
    connectionTable,
    describeExports = true,
    compareExports = describeExports,
  }: CustomersIntegrationProps): Changes | undefined {
    if (!compareExports) {
      if (!hasRecordEvents(connectionTable)) return undefined;
      throw new SettingError(
        describeExports ? 'compareExports' : 'describeExports',
        EVENTS_EXPECTED,
      );
    }
    if (!describeExports) throw new SettingError('compareExports', COMPARISON_EXPECTED);
    const { resources, store } = this;
    return new Changes(this, 'Changes', { resources, store });
  }

  #httpApiOf(settings: HttpApiSettings | false): HttpApi | undefined {
    if (settings === false) return undefined;
    const { resources, store, writes, changes } = this;
    const given = { resources, store, writes, changes };
    return new HttpApi(this, 'HttpApi', { ...given, ...settings });
  }

  #tablesOf({ tables, connectionTable }: CustomersIntegrationProps): ExportTables | undefined {
    if (tables === false) return undefined;
    if (this.descriptions === undefined) throw new SettingError('tables', TABLES_EXPECTED);
    const { integrationId, store } = this;
    const { bucketName } = store.bucket;
    const lists = listsOfAll(connectionTable);
    return new ExportTables(this, 'Tables', { integrationId, bucketName, lists });
  }

  #operationsOf(
    sweep: Sweep,
    schedules: ExportSchedules,
    alarms: CustomersIntegrationProps['alarms'] = {},
  ): Operations {
    const { integrationId, descriptions, changes, writes, httpApi, undelivered } = this;
    return new Operations(this, 'Operations', {
      integrationId,
      watched: {
        worker: this.runExport,
        start: this.startExport,
        startAll: schedules.startAll,
        sweep: sweep.function,
        measure: this.#measure(schedules, alarms),
        httpApi,
        queue: this.queue.queue,
        deadLetterQueue: this.queue.deadLetterQueue,
        undelivered,
        descriptions,
        changes,
        table: this.ledger.table,
        writes,
      },
      alarms,
    });
  }

  #output(operations: Operations, { outputs = {} }: CustomersIntegrationProps): void {
    if (outputs === false) return;
    const { integrationId, secretPrefix, store, tables } = this;
    const parts = { integrationId, secretPrefix, store, tables, operations };
    new IntegrationOutputs(this, 'Outputs', parts, outputs);
  }

  /** Only a list with a schedule is known to need regular exports. */
  #measure({ measured }: ExportSchedules, alarms: CustomersIntegrationProps['alarms']) {
    if (measured.length === 0) return undefined;
    const { noCompleteExportAfter = DEFAULT_NO_COMPLETE_EXPORT_AFTER } = alarms || {};
    const { store, undelivered } = this;
    const overdueHours = noCompleteExportAfter.toHours({ integral: false });
    return new MeasureExports(this, 'Measure', {
      measured: { exports: measured, overdueHours },
      secrets: this.resources.secrets,
      store,
      undelivered,
    }).function;
  }
}

function identify(scope: Construct, props: CustomersIntegrationProps) {
  const { bucket, table, sharesSecrets = false } = props;
  const integrationId = integrationIdOf(scope, props.integrationId);
  const { secretPrefix = `${SECRETS_ROOT}${integrationId}/` } = props;
  claimIdentity(scope, {
    integrationId,
    secretPrefix,
    bucket: bucket?.bucketName,
    table: table?.tableName,
    sharesSecrets,
  });
  return { integrationId, secretPrefix };
}

function integrationIdOf(scope: Construct, given: string | undefined): string {
  const { scopes } = scope.node;
  const stacks = scopes.findIndex((each) => Stack.isStack(each));
  const [stack, ...inside] = scopes.slice(stacks);
  const place = [Stack.of(stack ?? scope).stackName, ...inside.map(({ node }) => node.id)];
  const id = given ?? place.join('.'); // no stack has a dot in its name
  if (INTEGRATION_ID.test(id)) return id;
  const problem = `${ID_EXPECTED}; the names around this construct make ${JSON.stringify(id)}`;
  throw new SettingError('integrationId', problem);
}

function undeliveredQueue(scope: Construct): Queue {
  const queue = new Queue(scope, 'Undelivered', {
    retentionPeriod: Duration.days(14), // SQS's maximum, so that a person has time to investigate
    ...privateQueue(scope),
  });
  acknowledgeLastStop(queue);
  return queue;
}
