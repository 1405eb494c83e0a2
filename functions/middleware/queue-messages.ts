import type { MiddlewareObj } from '@middy/core';
import type { SQSBatchResponse } from 'aws-lambda';
import * as v from 'valibot';
import type { DeadLetters } from '../aws/dead-letters.ts';
import type { LogContext } from './invocation-log.ts';
import { errorFields } from './log.ts';

/** What a message body says: a value, or why it can never say one. */
export type ParsedBody<T> =
  | { readonly kind: 'value'; readonly value: T }
  | { readonly kind: 'malformed'; readonly reason: string };

interface QueueMessage<T> {
  readonly messageId: string;
  readonly value: T;
}

/** The event as the handler sees it. */
export interface QueueMessages<T> {
  readonly messages: readonly QueueMessage<T>[];
  /** Ids of malformed messages that did not get into the dead-letter queue either. */
  readonly stranded: readonly string[];
}

/** `acknowledge`: delete the message. `retry`: let it come back after the visibility timeout. */
export interface MessageResult {
  readonly messageId: string;
  readonly answer: 'acknowledge' | 'retry';
}

export interface QueueMessagesOptions<T> {
  readonly parse: (body: string) => ParsedBody<T>;
  readonly deadLetters: DeadLetters;
}

type Result = readonly MessageResult[] | SQSBatchResponse;

const EventSchema = v.object({
  Records: v.array(v.object({ messageId: v.pipe(v.string(), v.minLength(1)), body: v.string() })),
});

/**
 * Takes an SQS event apart for {@link eachMessage}, and makes a partial batch response of its results
 * (the event source must report batch item failures). A body that cannot be understood goes to the
 * dead-letter queue at once and with the reason, instead of failing until its receives are used up.
 */
export function queueMessages<T>({
  parse,
  deadLetters,
}: QueueMessagesOptions<T>): MiddlewareObj<QueueMessages<T>, Result, Error, LogContext> {
  const addDeadLetter = async (
    { messageId, body }: { messageId: string; body: string },
    reason: string,
    { log }: LogContext,
  ): Promise<boolean> => {
    log.error('Message sent to the dead-letter queue', { messageId, reason });
    try {
      await deadLetters.add(body, reason, messageId);
      return true;
    } catch (error) {
      log.error('Dead-letter queue not reached', { messageId, ...errorFields(error) });
      return false;
    }
  };

  return {
    before: async function queueMessagesBefore(request) {
      const messages: QueueMessage<T>[] = [];
      const stranded: string[] = [];
      for (const record of v.parse(EventSchema, request.event).Records) {
        const { messageId, body } = record;
        const parsed = parse(body);
        if (parsed.kind === 'value') messages.push({ messageId, value: parsed.value });
        else if (!(await addDeadLetter(record, parsed.reason, request.context))) {
          stranded.push(messageId);
        }
      }
      request.event = { messages, stranded };
    },

    after: function queueMessagesAfter(request) {
      const results = Array.isArray(request.response) ? request.response : [];
      const again = results.filter(({ answer }) => answer === 'retry');
      const ids = [...request.event.stranded, ...again.map(({ messageId }) => messageId)];
      // Messages that are not named are deleted. An error thrown instead makes Lambda bring all back.
      request.response = { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  };
}
