import middy from '@middy/core';
import * as v from 'valibot';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import { wholeNumber } from '../../lib/number-range.ts';
import { systemClock } from '../aws/clock-and-random.ts';
import { createDeadLetters, sqsClient } from '../aws/queue.ts';
import { createRequeue } from '../aws/requeue.ts';
import type { ParsedBody } from '../messages/message.ts';
import { invocationLog } from './invocation-log.ts';
import { queueMessages } from './queue-messages.ts';

/** As long as SQS keeps a message by itself (its default of MessageRetentionPeriod): 4 days. */
const DEFAULT_MAX_REQUEUE_SECONDS = 4 * 24 * 3600;
/** SQS keeps no message longer than 14 days. */
const MAX_REQUEUE_SECONDS = 14 * 24 * 3600;

export interface QueueChainOptions<T> {
  /** Reads a body. Bodies that are `malformed` go to the dead-letter queue at once, with the reason. */
  readonly parse: (body: string) => ParsedBody<T>;
  /** URL of the queue that the messages come from: a standard queue, for messages that wait. */
  readonly queueUrl: string;
  /** URL of the queue for messages that no repetition can help. */
  readonly deadLetterQueueUrl: string;
  /**
   * A message that was requeued again and again goes to the dead-letter queue this long after it was sent
   * first, 1 s to 14 days.
   *
   * @default 345600 (4 days)
   */
  readonly maxRequeueSeconds?: number;
}

/** An ARN would be taken until the first message has to wait. */
const queueUrl = v.pipe(
  v.string('expected the URL of a queue'),
  v.regex(/^https?:\/\/./, 'expected the URL of a queue'),
);

const OptionsSchema = v.pipe(
  v.strictObject({
    parse: v.function('expected a function that reads a body'),
    queueUrl,
    deadLetterQueueUrl: queueUrl,
    maxRequeueSeconds: v.optional(
      wholeNumber(1, MAX_REQUEUE_SECONDS, 'seconds'),
      DEFAULT_MAX_REQUEUE_SECONDS,
    ),
  }),
  // What no repetition can help would come back for ever.
  v.forward(
    v.check((given) => given.queueUrl !== given.deadLetterQueueUrl, 'expected another queue'),
    ['deadLetterQueueUrl'],
  ),
);

/**
 * A chain for handlers of an SQS queue: `context.log`, each message on its own, partial batch failures,
 * and requeueing with a delay. To be ended with `.handler(eachMessage(…))`. The event source must report
 * batch item failures, and a function that requeues needs `recursiveLoop: RecursiveLoop.ALLOW`: Lambda
 * would stop it at about 16 hops otherwise, where `maxRequeueSeconds` ends it here.
 *
 * @throws SettingError naming the option that is wrong.
 */
export function queueChain<T>(options: QueueChainOptions<T>) {
  const parsed = parseOptions(OptionsSchema, options, 'options');
  const { queueUrl, deadLetterQueueUrl, maxRequeueSeconds } = parsed;
  const client = sqsClient();
  return middy()
    .use(invocationLog())
    .use(
      queueMessages<T>({
        parse: options.parse,
        deadLetters: createDeadLetters(client, deadLetterQueueUrl),
        requeue: createRequeue({ client, queueUrl, maxRequeueSeconds, clock: systemClock }),
      }),
    );
}
