import { isServiceError } from '../endpoint/aws-call.ts';
import type { Queues } from '../services/sqs/queues.ts';
import type { FunctionDefinition } from './function-definition.ts';
import type { FunctionInvoker } from './function-host.ts';
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
  /** 1 to 10. */
  readonly batchSize: number;
  /** Batches in work at once. */
  readonly maximumConcurrency: number;
}

const LONG_POLL_SECONDS = 20;
/** Lambda's limit of an invocation's payload. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
const EMPTY_PAYLOAD_BYTES = '{"Records":[]}'.length;
/** The service that calls on the stack's behalf, in usage(). */
const CALLER = 'event-source-mapping';

/** Feeds a function from a queue until it is stopped. */
export class EventSourceMapping {
  readonly #definition: MappingDefinition;
  readonly #queues: Queues;
  readonly #host: FunctionInvoker;
  readonly #batches = new Set<Promise<void>>();
  readonly #polling: Promise<void>;
  #stopping = false;

  constructor(definition: MappingDefinition, queues: Queues, host: FunctionInvoker) {
    this.#definition = definition;
    this.#queues = queues;
    this.#host = host;
    this.#polling = this.#poll();
  }

  get queueName(): string {
    return this.#definition.queueName;
  }

  /** Batches in work. */
  get running(): number {
    return this.#batches.size;
  }

  /** Takes no further message. Settles when no batch is in work; the queues must be closed for that. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#polling;
    await Promise.allSettled(this.#batches);
  }

  async #poll(): Promise<void> {
    while (!this.#stopping) {
      for (const messages of this.#batchesOf(await this.#receive())) {
        if (this.#stopping) return;
        const batch: Promise<void> = this.#work(messages).finally(() =>
          this.#batches.delete(batch),
        );
        this.#batches.add(batch);
        if (this.#batches.size >= this.#definition.maximumConcurrency) {
          await Promise.race(this.#batches);
        }
      }
    }
  }

  async #receive(): Promise<readonly ReceivedMessage[]> {
    const answer = await this.#call('ReceiveMessage', {
      MaxNumberOfMessages: this.#definition.batchSize,
      WaitTimeSeconds: LONG_POLL_SECONDS,
      MessageSystemAttributeNames: ['All'],
      MessageAttributeNames: ['All'],
    });
    return answer === undefined ? [] : receivedMessages(answer);
  }

  /** Batches whose records fit into the payload of one invocation. */
  #batchesOf(messages: readonly ReceivedMessage[]): readonly ReceivedMessage[][] {
    const batches: ReceivedMessage[][] = [];
    let bytes = Number.POSITIVE_INFINITY;
    for (const message of messages) {
      const own = Buffer.byteLength(JSON.stringify(sqsRecord(message))) + 1;
      if (bytes + own > MAX_PAYLOAD_BYTES) {
        batches.push([]);
        bytes = EMPTY_PAYLOAD_BYTES;
      }
      batches.at(-1)?.push(message);
      bytes += own;
    }
    return batches;
  }

  /** Deletes what succeeded; the rest comes back when its visibility timeout is over. */
  async #work(messages: readonly ReceivedMessage[]): Promise<void> {
    const payload = JSON.stringify({ Records: messages.map(sqsRecord) });
    const outcome = await this.#host.invoke(this.#definition.function, payload);
    if (outcome.kind !== 'returned') return;
    const ids = messages.map(({ MessageId }) => MessageId);
    const failed = failedMessageIds(outcome.payload, ids);
    const Entries = messages
      .filter(({ MessageId }) => !failed.includes(MessageId))
      .map(({ ReceiptHandle }, index) => ({ Id: String(index), ReceiptHandle }));
    if (Entries.length > 0) await this.#call('DeleteMessageBatch', { Entries });
  }

  /** `undefined` when the engine is closing: the stack stops. */
  async #call(action: string, parameters: object): Promise<string | undefined> {
    if (this.#stopping) return undefined;
    const answer = await this.#queues.call(CALLER, action, {
      QueueUrl: this.queueName,
      ...parameters,
    });
    return isServiceError(answer) || answer.status !== 200 ? undefined : answer.body;
  }
}
