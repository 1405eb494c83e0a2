import { Duration, Stack } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { FunctionUrlAuthType, RecursiveLoop, Runtime } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import { NodejsFunction, type NodejsFunctionProps } from 'aws-cdk-lib/aws-lambda-nodejs';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { CustomersIntegration, functionBundling } from 'customers-functions/infra';

/** Functions that share the client, the waits and the rejected keys of the exports. */
export class OwnFunctionsStack extends Stack {
  readonly #customers: CustomersIntegration;

  constructor(scope: Construct, id: string) {
    super(scope, id);
    this.#customers = new CustomersIntegration(this, 'Customers', {
      connectionTable: {
        defaults: { baseUrl: 'https://api.example.com' },
        connections: { demo: {} },
      },
    });
    this.#readOverHttp();
    this.#enrichFromQueue();
    this.#countAfterExport();
  }

  /** Callers sign with IAM. */
  #readOverHttp(): void {
    const read = this.#own('ReadCustomer', 'read-customer');
    this.#customers.grantClient(read, ['demo']);
    read.addFunctionUrl({ authType: FunctionUrlAuthType.AWS_IAM });
  }

  #enrichFromQueue(): void {
    const enriched = new Queue(this, 'Enriched');
    const dead = new Queue(this, 'OrdersDead', { retentionPeriod: Duration.days(14) });
    const orders = new Queue(this, 'Orders', {
      visibilityTimeout: Duration.minutes(3),
      deadLetterQueue: { queue: dead, maxReceiveCount: 5 },
    });
    const enrich = this.#own('EnrichOrders', 'enrich-orders', {
      environment: {
        ORDERS_QUEUE_URL: orders.queueUrl,
        ORDERS_DEAD_LETTER_QUEUE_URL: dead.queueUrl,
        ENRICHED_QUEUE_URL: enriched.queueUrl,
      },
      // What has to wait goes back to its queue, which Lambda would take for a loop after about 16 times.
      recursiveLoop: RecursiveLoop.ALLOW,
    });
    enrich.addEventSource(new SqsEventSource(orders, { reportBatchItemFailures: true }));
    for (const queue of [orders, dead, enriched]) queue.grantSendMessages(enrich);
    this.#customers.grantClient(enrich);
  }

  #countAfterExport(): void {
    const { store, integrationId } = this.#customers;
    const count = this.#own('CountCustomers', 'count-customers', {
      environment: { EXPORT_BUCKET: store.bucket.bucketName },
    });
    this.#customers.grantRead(count);
    new Rule(this, 'WhenCompleted', {
      eventPattern: {
        source: ['customers-functions'],
        detailType: ['Export Completed'],
        detail: { integration: [integrationId] },
      },
      targets: [new LambdaFunction(count)],
    });
  }

  #own(id: string, file: string, props: NodejsFunctionProps = {}): NodejsFunction {
    return new NodejsFunction(this, id, {
      entry: `lambda/${file}.ts`,
      runtime: Runtime.NODEJS_24_X,
      timeout: Duration.seconds(30),
      bundling: functionBundling,
      ...props,
    });
  }
}
