import { Duration } from 'aws-cdk-lib';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { ENVIRONMENT } from '../../../functions/services/environment.ts';
import { privateQueue } from '../foundation/encryption.ts';
import {
  type ExportResources,
  exportEnvironment,
  exportStatements,
} from '../foundation/export-resources.ts';
import { LambdaFunction } from '../foundation/lambda-function.ts';
import { QueueFeeding } from '../foundation/queue-feeding.ts';
import { allowFeeding, allowSend } from '../foundation/queue-statements.ts';
import { deliveries } from '../foundation/work-queue.ts';

export interface StartAllExportsProps {
  readonly resources: ExportResources;
  readonly undelivered: IQueue;
}

/**
 * 90 s are reserved for running starts. The other 90 are enough for some 10,000; the next message continues
 * with the rest.
 */
const TIMEOUT = Duration.minutes(3);

/**
 * Starts the exports of all connections: one message per planned time, and one for the rest after each
 * invocation.
 */
export class StartAllExports extends Construct {
  readonly function: LambdaFunction;
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { resources, undelivered }: StartAllExportsProps) {
    super(scope, id);
    const { ledger, secrets } = resources;
    const { visibilityTimeout, maxReceiveCount } = deliveries(TIMEOUT);
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout,
      deadLetterQueue: { queue: undelivered, maxReceiveCount },
      ...privateQueue(this),
    });
    this.function = new LambdaFunction(this, 'Function', {
      file: 'start-all-exports',
      description: 'Starts the exports of all connections',
      timeout: TIMEOUT,
      // Starts that are spread over a day take more invocations than Lambda allows in a loop; each continues
      // where the last one ended.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        ...exportEnvironment(resources),
        [ENVIRONMENT.fanOutQueueUrl]: this.queue.queueUrl,
        [ENVIRONMENT.deadLetterQueueUrl]: undelivered.queueUrl,
      },
      statements: [
        ...exportStatements(resources),
        secrets.allowList(),
        allowFeeding(this.queue),
        allowSend(this.queue, undelivered),
        ledger.allow('dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:DeleteItem'),
      ],
    });
    new QueueFeeding(this, 'FanOuts', {
      target: this.function,
      queue: this.queue,
      batchSize: 1, // one message is enough work for an invocation
      maxConcurrency: 2, // Lambda's minimum; one invocation makes many starts at once
    });
  }
}
