import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { RecursiveLoop } from 'aws-cdk-lib/aws-lambda';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Construct } from 'constructs';
import { ENVIRONMENT } from '../../functions/environment.ts';
import { acknowledge } from './acknowledge.ts';
import { allowSend, type ExportQueue } from './export-queue.ts';
import { connectionsVariable, type ExportResources } from './export-resources.ts';
import { LambdaFunction } from './lambda-function.ts';

/**
 * A write takes a request or two of 30 s at most and what a check reads; with ten writes of a batch side by
 * side this leaves room for a short wait for their turn. The message of a crash comes back after six times
 * as long.
 */
export const APPLY_WRITE_TIMEOUT = Duration.minutes(2);

/**
 * Batches at once. Ten writes side by side of 0.2 s each are 50 a second, so that a batch serves what most
 * APIs allow; more of them serve more connections.
 */
const MAX_CONCURRENCY = 20;

export interface ApplyWriteFunctionProps {
  readonly resources: ExportResources;
  readonly queue: ExportQueue;
}

/** Carries out one write a message, or requeues it until the API takes it. */
export class ApplyWriteFunction extends LambdaFunction {
  constructor(scope: Construct, id: string, { resources, queue }: ApplyWriteFunctionProps) {
    const { ledger, secrets, eventBus } = resources;
    super(scope, id, {
      file: 'apply-write',
      description: 'Carries out the writes that were asked for, each at most once',
      timeout: APPLY_WRITE_TIMEOUT,
      memorySize: 512, // ten bodies of up to 256 KiB, and loading the bundle is a matter of the processor
      // Lambda would end a write at about 16 requeues: it keeps bounds of its own instead.
      recursiveLoop: RecursiveLoop.ALLOW,
      environment: {
        [ENVIRONMENT.ledgerTable]: ledger.table.tableName,
        [ENVIRONMENT.secretPrefix]: secrets.prefix,
        [ENVIRONMENT.eventBus]: eventBus.eventBusName,
        [ENVIRONMENT.writeQueueUrl]: queue.queue.queueUrl,
        [ENVIRONMENT.deadLetterQueueUrl]: queue.deadLetterQueue.queueUrl,
        ...connectionsVariable(resources),
      },
      statements: [
        secrets.allowRead(),
        allowSend(queue.queue, queue.deadLetterQueue),
        new PolicyStatement({ actions: ['events:PutEvents'], resources: [eventBus.eventBusArn] }),
        ledger.allow(
          'dynamodb:GetItem',
          'dynamodb:PutItem',
          'dynamodb:UpdateItem',
          'dynamodb:DeleteItem',
        ),
      ],
    });
    this.addEventSource(
      new SqsEventSource(queue.queue, {
        batchSize: 10, // the most without a batching window, which would only make writes wait
        maxConcurrency: MAX_CONCURRENCY,
        reportBatchItemFailures: true,
      }),
    );
    acknowledge(
      this,
      'Serverless-LambdaDLQ',
      'It is invoked by its queue alone, whose redrive policy keeps what fails.',
    );
    acknowledge(
      this,
      'Serverless-LambdaEventSourceMappingDestination',
      'A queue as source takes no destination for failures: its redrive policy keeps them.',
    );
  }
}
