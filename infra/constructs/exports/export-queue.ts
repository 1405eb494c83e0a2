import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { acknowledge } from '../foundation/acknowledge.ts';
import { privateQueue } from '../foundation/encryption.ts';

export interface ExportQueueProps {
  /** Of the function that works on the queue. */
  readonly workerTimeout: Duration;
}

/** The queue of wake-ups, and the one for messages that cannot be handled. */
export class ExportQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { workerTimeout }: ExportQueueProps) {
    super(scope, id);
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      // A dead letter keeps the age it had: this must be longer than the retention of the queue. SQS's maximum.
      retentionPeriod: Duration.days(14),
      ...privateQueue(this),
    });
    acknowledgeLastStop(this.deadLetterQueue);
    this.queue = new Queue(this, 'Queue', {
      retentionPeriod: Duration.days(4),
      // Six times, as Lambda asks for: throttled deliveries must not use up a message's receives.
      visibilityTimeout: Duration.seconds(6 * workerTimeout.toSeconds()),
      deadLetterQueue: {
        queue: this.deadLetterQueue,
        // Throttles and spent time are no failures, so these are crashes and outages of AWS: five receives
        // outlast one of two hours, and the sweep sends a new message anyway.
        maxReceiveCount: 5,
      },
      ...privateQueue(this),
    });
  }
}

/** A queue that a person empties: nothing receives from it, so nothing can be moved on. */
export function acknowledgeLastStop(queue: IConstruct): void {
  acknowledge(
    queue,
    'Serverless-SQSRedrivePolicy',
    'It is itself a dead-letter queue, and an alarm tells when something is in it.',
  );
}

/** What Lambda does with a function's role to feed it (developer guide, "Execution role permissions"). */
export function allowFeeding(queue: IQueue): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:GetQueueAttributes'],
    resources: [queue.queueArn],
  });
}

/** Allows to send to a queue. */
export function allowSend(...queues: readonly IQueue[]): PolicyStatement {
  return new PolicyStatement({
    actions: ['sqs:SendMessage'],
    resources: queues.map(({ queueArn }) => queueArn),
  });
}
