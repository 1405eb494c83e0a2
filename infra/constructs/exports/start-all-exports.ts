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
import { allowFeeding, allowSend } from './export-queue.ts';

export interface StartAllExportsProps {
  readonly resources: ExportResources;
  /** Takes starts that failed again and again, and messages that cannot be understood. */
  readonly undelivered: IQueue;
}

/**
 * 90 s are kept for the starts under way: the other 90 are enough for some 10,000, and what is left goes on in
 * the next message.
 */
const TIMEOUT = Duration.minutes(3);

/** Starts the exports of all connections: one message for each planned time, and for what is left of one. */
export class StartAllExports extends Construct {
  readonly function: LambdaFunction;
  readonly queue: Queue;

  constructor(scope: Construct, id: string, { resources, undelivered }: StartAllExportsProps) {
    super(scope, id);
    const { ledger, secrets } = resources;
    this.queue = new Queue(this, 'Queue', {
      visibilityTimeout: Duration.seconds(6 * TIMEOUT.toSeconds()), // as Lambda asks for
      // Five tries are an hour and a half: what fails for longer is for a person.
      deadLetterQueue: { queue: undelivered, maxReceiveCount: 5 },
      ...privateQueue(this),
    });
    this.function = new LambdaFunction(this, 'Function', {
      file: 'start-all-exports',
      description: 'Starts the exports of all connections',
      timeout: TIMEOUT,
      memorySize: 512, // loading the bundle is what takes time, and that is a matter of the processor
      // Starts that are spread over a day take more rounds than Lambda lets pass; each goes on behind the last.
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
      batchSize: 1, // a message is the work of an invocation
      maxConcurrency: 2, // Lambda's least; the starts in one invocation are many at once already
    });
  }
}
