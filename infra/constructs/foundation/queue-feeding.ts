import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import type { LambdaFunction } from './lambda-function.ts';

export interface QueueFeedingProps {
  readonly target: LambdaFunction;
  readonly queue: IQueue;
  /** Messages per invocation, 1 to 10. */
  readonly batchSize: number;
  /** Concurrent invocations, 2 to 1,000 (Lambda developer guide, "Configuring maximum concurrency"). */
  readonly maxConcurrency: number;
}

/**
 * Invokes a function with messages of a queue; messages that the function reports as failed are delivered
 * again. Not an SqsEventSource, which grants more than Lambda needs.
 */
export class QueueFeeding extends EventSourceMapping {
  constructor(scope: Construct, id: string, { queue, ...props }: QueueFeedingProps) {
    super(scope, id, { ...props, eventSourceArn: queue.queueArn, reportBatchItemFailures: true });
    acknowledge(
      props.target,
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
