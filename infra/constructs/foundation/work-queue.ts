import { Duration } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct, type IConstruct } from 'constructs';
import { acknowledge } from './acknowledge.ts';
import { privateQueue } from './encryption.ts';

export interface WorkQueueProps {
  readonly workerTimeout: Duration;
}

/** An outage of AWS, or of the account's concurrency, that messages outlast. */
const OUTAGE_SECONDS = 2 * 3600;
/** What Lambda's developer guide advises, "Using Lambda with Amazon SQS". */
const LEAST_RECEIVES = 5;

/** A queue of work for a function, such as the wake-ups of exports, and its dead-letter queue. */
export class WorkQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetterQueue: Queue;

  constructor(scope: Construct, id: string, { workerTimeout }: WorkQueueProps) {
    super(scope, id);
    const { visibilityTimeout, maxReceiveCount } = deliveries(workerTimeout);
    this.deadLetterQueue = new Queue(this, 'DeadLetterQueue', {
      // A dead letter keeps its age, so this must be longer than the retention of the queue. SQS's maximum.
      retentionPeriod: Duration.days(14),
      ...privateQueue(this),
    });
    acknowledgeLastStop(this.deadLetterQueue);
    this.queue = new Queue(this, 'Queue', {
      retentionPeriod: Duration.days(4),
      visibilityTimeout,
      deadLetterQueue: { queue: this.deadLetterQueue, maxReceiveCount },
      ...privateQueue(this),
    });
  }
}

/** How long a message of a worker is hidden, and after how many receives it is a dead letter. */
export function deliveries(workerTimeout: Duration) {
  // Six times the timeout, as Lambda requires: throttled deliveries must not use up a message's receives.
  const hiddenSeconds = 6 * workerTimeout.toSeconds();
  return {
    visibilityTimeout: Duration.seconds(hiddenSeconds),
    // API throttles and used-up time are not failures, so these are crashes and outages. The last receive comes after the
    // outage: a write that was sent as a message, or a planned start, is in no ledger yet, and no sweep would bring it back.
    maxReceiveCount: Math.max(LEAST_RECEIVES, Math.ceil(OUTAGE_SECONDS / hiddenSeconds) + 1),
  };
}

/** For a queue that a person empties: no function receives from it, so it needs no redrive policy. */
export function acknowledgeLastStop(queue: IConstruct): void {
  acknowledge(
    queue,
    'Serverless-SQSRedrivePolicy',
    'It is itself a dead-letter queue, and an alarm fires when it is not empty.',
  );
}
