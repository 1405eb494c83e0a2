import { CfnDeletionPolicy, CfnOutput, CfnResource, Fn, Lazy, Stack } from 'aws-cdk-lib';
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { SettingError } from '../../lib/errors.ts';
import type { ExportTables } from './exports/export-tables.ts';
import type { ExportStore } from './foundation/export-store.ts';
import type { Operations } from './operations/operations.ts';

export interface OutputOptions {
  /**
   * Begins the name of each output: letters and digits, or nothing.
   *
   * @default - the ids of the constructs from the stack down to the integration, without other characters
   */
  readonly prefix?: string | undefined;
}

export interface OutputParts {
  readonly integrationId: string;
  readonly secretPrefix: string;
  readonly store: ExportStore;
  readonly tables: ExportTables | undefined;
  readonly operations: Operations;
}

/**
 * Outputs of the stack that say where the parts of an integration are: the commands in the documentation read them.
 *
 * @throws SettingError when another integration has outputs of these names.
 */
export class IntegrationOutputs extends Construct {
  constructor(scope: Construct, id: string, parts: OutputParts, options: OutputOptions) {
    super(scope, id);
    const { prefix = prefixOf(scope) } = options;
    claimPrefix(scope, prefix);
    const add = (name: string, value: string) =>
      new CfnOutput(this, name, { value }).overrideLogicalId(prefix + name);
    for (const [name, value] of Object.entries(valuesOf(parts))) {
      if (value !== undefined) add(name, value);
    }
    for (const [name, type] of Object.entries(KEPT)) {
      add(name, Lazy.string({ produce: () => namesOf(keptBy(scope, type)) }));
    }
    this.node.addValidation({ validate: () => this.#leaveOutEmpty(scope) });
  }

  /** The app may set other removal policies than ours until here, the last time that the CDK asks before the template. */
  #leaveOutEmpty(integration: Construct): string[] {
    for (const [name, type] of Object.entries(KEPT)) {
      if (keptBy(integration, type).length === 0) this.node.tryRemoveChild(name);
    }
    return [];
  }
}

const prefixes = new WeakMap<Stack, Map<string, string>>();

/** @throws SettingError when another integration of the stack has outputs of the same names. */
function claimPrefix(integration: Construct, prefix: string): void {
  const stack = Stack.of(integration);
  const taken = prefixes.get(stack) ?? new Map<string, string>();
  const other = taken.get(prefix);
  if (other !== undefined) {
    const problem = `expected one of its own, since outputs of a stack have one name each: ${JSON.stringify(prefix)} is that of ${other}`;
    throw new SettingError('outputs.prefix', problem);
  }
  prefixes.set(stack, taken.set(prefix, integration.node.path));
}

/** CloudFormation takes letters and digits alone in the name of an output. */
function prefixOf({ node: { scopes } }: Construct): string {
  const inside = scopes.slice(scopes.findLastIndex((each) => Stack.isStack(each)) + 1);
  return inside.map(({ node: { id } }) => id.replace(/[^A-Za-z0-9]/g, '')).join('');
}

function valuesOf({ integrationId, secretPrefix, store, tables, operations }: OutputParts) {
  const { watched } = operations.metrics;
  const { worker, start, startAll, sweep, measure, httpApi, descriptions, changes, writes } =
    watched;
  return {
    IntegrationId: integrationId,
    ExportBucketName: store.bucket.bucketName,
    LedgerTableName: watched.table.tableName,
    SecretPrefix: secretPrefix,
    DatabaseName: tables?.databaseName,
    HttpApiUrl: httpApi?.url,
    DashboardName: operations.dashboardName,
    ExportQueueUrl: watched.queue.queueUrl,
    ExportDeadLetterQueueUrl: watched.deadLetterQueue.queueUrl,
    UndeliveredQueueUrl: watched.undelivered.queueUrl,
    DescriptionDeadLetterQueueUrl: descriptions?.queue.deadLetterQueue.queueUrl,
    ChangeQueueUrl: changes?.queue.queue.queueUrl,
    ChangeDeadLetterQueueUrl: changes?.queue.deadLetterQueue.queueUrl,
    WriteQueueUrl: writes?.queue.queue.queueUrl,
    WriteDeadLetterQueueUrl: writes?.queue.deadLetterQueue.queueUrl,
    StartExportFunctionName: start.functionName,
    RunExportFunctionName: worker.functionName,
    ExportLogGroupName: worker.logGroup.logGroupName,
    StartLogGroupName: start.logGroup.logGroupName,
    StartAllLogGroupName: startAll?.function.logGroup.logGroupName,
    SweepLogGroupName: sweep.logGroup.logGroupName,
    MeasureLogGroupName: measure?.logGroup.logGroupName,
    DescriptionLogGroupName: descriptions?.function.logGroup.logGroupName,
    ChangeLogGroupName: changes?.function.logGroup.logGroupName,
    WriteLogGroupName: writes?.function.logGroup.logGroupName,
    HttpApiLogGroupName: httpApi?.function.logGroup.logGroupName,
    ListFilesLogGroupName: httpApi?.listFiles.logGroup.logGroupName,
    ListChangesLogGroupName: httpApi?.listChanges?.logGroup.logGroupName,
  };
}

/** By output, with names and a space between, what stays when the integration is deleted, since it holds data. */
const KEPT = {
  KeptBucketNames: CfnBucket.CFN_RESOURCE_TYPE_NAME,
  KeptTableNames: CfnTable.CFN_RESOURCE_TYPE_NAME,
  KeptLogGroupNames: CfnLogGroup.CFN_RESOURCE_TYPE_NAME,
} as const;

function keptBy(integration: Construct, type: string): readonly CfnResource[] {
  return integration.node
    .findAll()
    .filter((each) => CfnResource.isCfnResource(each))
    .filter(({ cfnResourceType }) => cfnResourceType === type)
    .filter(({ cfnOptions: { deletionPolicy } }) => isKept(deletionPolicy));
}

function namesOf(resources: readonly CfnResource[]): string {
  const names = resources.map(({ ref }) => ref);
  return names.length === 0 ? '' : Fn.join(' ', names);
}

function isKept(policy: CfnDeletionPolicy | undefined): boolean {
  return (
    policy === CfnDeletionPolicy.RETAIN || policy === CfnDeletionPolicy.RETAIN_EXCEPT_ON_CREATE
  );
}
