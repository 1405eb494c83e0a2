import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { CustomersIntegration } from './constructs/customers-integration.ts';
import { CONTEXT_KEY, customersSettingsOf } from './settings/customers-settings.ts';
import { integrationPropsOf } from './settings/integration-props.ts';

/** The whole integration in one stack, as the context `customers-functions` says. */
export class CustomersStack extends Stack {
  /** @throws SettingError naming the path of a setting that is wrong. */
  constructor(scope: Construct, id: string, props: StackProps = {}) {
    super(scope, id, {
      description: 'Exports the customers of a rate-limited API to S3, and carries out writes',
      ...props,
    });
    const settings = customersSettingsOf(this.node.tryGetContext(CONTEXT_KEY));
    const integration = new CustomersIntegration(
      this,
      'Customers',
      integrationPropsOf(this, settings),
    );
    const { store, ledger, queue, startExport, runExport, undelivered } = integration;
    const { integrationId, secretPrefix, descriptions, changes, tables, httpApi, writes } =
      integration;
    const outputs = {
      IntegrationId: integrationId,
      ExportBucketName: store.bucket.bucketName,
      LedgerTableName: ledger.table.tableName,
      StartExportFunctionName: startExport.functionName,
      ExportLogGroupName: runExport.logGroup.logGroupName,
      ExportQueueUrl: queue.queue.queueUrl,
      ExportDeadLetterQueueUrl: queue.deadLetterQueue.queueUrl,
      UndeliveredQueueUrl: undelivered.queueUrl,
      SecretPrefix: secretPrefix,
      ...(descriptions === undefined
        ? {}
        : { DescriptionDeadLetterQueueUrl: descriptions.queue.deadLetterQueue.queueUrl }),
      ...(changes === undefined
        ? {}
        : {
            ChangeQueueUrl: changes.queue.queue.queueUrl,
            ChangeDeadLetterQueueUrl: changes.queue.deadLetterQueue.queueUrl,
          }),
      ...(tables === undefined ? {} : { DatabaseName: tables.databaseName }),
      ...(httpApi === undefined ? {} : { HttpApiUrl: httpApi.url }),
      ...(writes === undefined
        ? {}
        : {
            WriteQueueUrl: writes.queue.queue.queueUrl,
            WriteDeadLetterQueueUrl: writes.queue.deadLetterQueue.queueUrl,
          }),
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
