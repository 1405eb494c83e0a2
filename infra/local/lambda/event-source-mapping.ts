import { isServiceError } from '../endpoint/aws-call.ts';
import type { Queues } from '../services/sqs/queues.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { FunctionHost } from './function-host.ts';
import type { MessageFilter } from './message-filter.ts';
import {
  failedMessageIds,
  type ReceivedMessage,
  receivedMessages,
  sqsRecord,
} from './sqs-event.ts';

/** A queue that feeds a function, as the template declares it. */
export interface MappingDefinition {
  readonly function: FunctionDefinition;
  readonly queueName: string;
  readonly queueArn: string;
  readonly region: string;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  /** Batches in work at once. */
  readonly maximumConcurrency: number;
  readonly reportsItemFailures: boolean;
  readonly filter: MessageFilter;
}

/** Feeds a function from a queue until it is stopped. */
export interface EventSourceMapping {
  readonly queueName: string;
  /** Batches in work. */
  readonly running: number;
  /** Takes no further message. Settles when no batch is in work; the queues must be closed for that. */
  stop(): Promise<void>;
}

/** SQS's own limits (API reference, ReceiveMessage). */
const MAX_RECEIVED = 10;
const LONG_POLL_SECONDS = 20;
/** Lambda's limit of an invocation's payload. */
const MAX_BATCH_BYTES = 6 * 1024 * 1024;
/** The service that calls on the stack's behalf, in usage(). */
const CALLER = 'event-source-mapping';

export function startEventSourceMapping(
  definition: MappingDefinition,
  queues: Queues,
  host: FunctionHost,
): EventSourceMapping {
  const batches = new Set<Promise<void>>();
  let stopping = false;
  const polling = poll();

  return {
    queueName: definition.queueName,
    get running() {
      return batches.size;
    },
    async stop() {
      stopping = true;
      await polling;
      await Promise.allSettled(batches);
    },
  };

  async function poll(): Promise<void> {
    while (!stopping) {
      const messages = await collect();
      if (messages.length > 0 && !stopping) {
        const batch: Promise<void> = work(messages).finally(() => batches.delete(batch));
        batches.add(batch);
      }
      if (batches.size >= definition.maximumConcurrency) await Promise.race(batches);
    }
  }

  /** One batch: full, or as much as came within the window. Empty after a poll without messages. */
  async function collect(): Promise<readonly ReceivedMessage[]> {
    const batch: ReceivedMessage[] = [];
    let bytes = 0;
    let windowEndMs = Number.POSITIVE_INFINITY;
    do {
      const restMs = windowEndMs - performance.now();
      const waitSeconds = batch.length === 0 ? LONG_POLL_SECONDS : Math.ceil(restMs / 1000);
      const received = await receive(definition.batchSize - batch.length, waitSeconds);
      if (received.length === 0 && batch.length === 0) return [];
      if (batch.length === 0) {
        windowEndMs = performance.now() + definition.batchingWindowSeconds * 1000;
      }
      batch.push(...received);
      bytes = batch.reduce((sum, { Body }) => sum + Body.length, 0);
    } while (
      !stopping &&
      batch.length < definition.batchSize &&
      bytes < MAX_BATCH_BYTES &&
      performance.now() < windowEndMs
    );
    return batch;
  }

  async function receive(max: number, waitSeconds: number): Promise<readonly ReceivedMessage[]> {
    const answer = await call('ReceiveMessage', {
      MaxNumberOfMessages: Math.min(max, MAX_RECEIVED),
      WaitTimeSeconds: Math.min(waitSeconds, LONG_POLL_SECONDS),
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    if (answer === undefined) return [];
    const messages = receivedMessages(answer);
    const unwanted = messages.filter((message) => !definition.filter(message));
    await remove(unwanted);
    return messages.filter((message) => !unwanted.includes(message));
  }

  /** Deletes what succeeded; the rest comes back when its visibility timeout is over. */
  async function work(messages: readonly ReceivedMessage[]): Promise<void> {
    const { queueArn, region, reportsItemFailures } = definition;
    const Records = messages.map((message) => sqsRecord(message, queueArn, region));
    const outcome = await host.invoke(definition.function, JSON.stringify({ Records }));
    if (outcome.kind !== 'returned') return;
    const ids = messages.map(({ MessageId }) => MessageId);
    const failed = reportsItemFailures ? failedMessageIds(outcome.payload, ids) : [];
    await remove(messages.filter(({ MessageId }) => !failed.includes(MessageId)));
  }

  async function remove(messages: readonly ReceivedMessage[]): Promise<void> {
    for (let start = 0; start < messages.length; start += MAX_RECEIVED) {
      const Entries = messages
        .slice(start, start + MAX_RECEIVED)
        .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
      await call('DeleteMessageBatch', { Entries });
    }
  }

  /** `undefined` when the engine is closing: the stack stops. */
  async function call(action: string, parameters: object): Promise<string | undefined> {
    if (stopping) return undefined;
    const answer = await queues.call(CALLER, action, {
      QueueUrl: definition.queueName,
      ...parameters,
    });
    return isServiceError(answer) || answer.status !== 200 ? undefined : answer.body;
  }
}
