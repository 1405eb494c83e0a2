import type { MiddlewareObj } from '@middy/core';
import type { SQSBatchResponse } from 'aws-lambda';
import * as v from 'valibot';
import { errorName } from '../../lib/errors.ts';
import { type DeadLetters, WITHHELD } from '../aws/queue.ts';
import { type ReceivedMessage, ReceivedMessageSchema, type Requeue } from '../aws/requeue.ts';
import { errorFields } from '../log/log.ts';
import type { MessageAnswer, ParsedBody } from '../messages/message.ts';
import { parseEvent } from '../messages/parse-event.ts';
import type { LogContext } from './invocation-log.ts';

interface Message<T> {
  readonly messageId: string;
  readonly value: T;
}

/** The event as a handler of messages sees it. */
export interface Messages<T> {
  readonly messages: readonly Message<T>[];
}

interface QueueMessage<T> extends Message<T> {
  /** As it was received. */
  readonly received: ReceivedMessage;
}

/** The event as the handler behind a queue sees it. */
export interface QueueMessages<T> extends Messages<T> {
  readonly messages: readonly QueueMessage<T>[];
  /** Ids of malformed messages that did not get into the dead-letter queue either, and of those whose `parse` threw. */
  readonly stranded: readonly string[];
}

export interface MessageResult {
  readonly messageId: string;
  readonly answer: MessageAnswer;
}

/** Where a message goes that is not deleted, and does not come back as it is. */
interface WaysOut {
  readonly deadLetters: DeadLetters;
  readonly requeue: Requeue;
}

export interface QueueMessagesOptions<T> extends WaysOut {
  readonly parse: (body: string) => ParsedBody<T>;
}

type Result = readonly MessageResult[] | SQSBatchResponse;

const EventSchema = v.object({ Records: v.array(ReceivedMessageSchema) });

/**
 * Takes an SQS event apart for {@link eachMessage}, and makes a partial batch response of its results (the
 * event source must report batch item failures). A body that cannot be understood goes to the dead-letter
 * queue at once and with the reason, instead of failing until its receives are used up. A message without an
 * answer counts as failed.
 */
export function queueMessages<T>({
  parse,
  ...ways
}: QueueMessagesOptions<T>): MiddlewareObj<QueueMessages<T>, Result, Error, LogContext> {
  return {
    before: async function queueMessagesBefore(request) {
      const messages: QueueMessage<T>[] = [];
      const stranded: string[] = [];
      for (const record of parseEvent(EventSchema, request.event, 'a queue of SQS').Records) {
        const { messageId } = record;
        const parsed = parsedBody(parse, record, request.context);
        if (parsed?.kind === 'value') {
          messages.push({ messageId, value: parsed.value, received: record });
        } else if (
          parsed === undefined ||
          !(await addDeadLetter(ways, record, parsed.reason, request.context))
        ) {
          stranded.push(messageId);
        }
      }
      request.event = { messages, stranded };
    },

    after: async function queueMessagesAfter(request) {
      const { event, context } = request;
      const results = Array.isArray(request.response) ? request.response : [];
      const ids = [...event.stranded];
      for (const { received, answer } of withAnswers(event.messages, results, context)) {
        if (!(await isSettled(ways, received, answer, context))) ids.push(received.messageId);
      }
      // Messages that are not named are deleted. An error thrown instead makes Lambda bring all back.
      request.response = { batchItemFailures: ids.map((itemIdentifier) => ({ itemIdentifier })) };
    },
  };
}

/** A `parse` that throws fails its own message: `undefined`. What it says is not logged, since it may quote the body. */
function parsedBody<T>(
  parse: QueueMessagesOptions<T>['parse'],
  { messageId, body }: ReceivedMessage,
  { log }: LogContext,
): ParsedBody<T> | undefined {
  try {
    return parse(body);
  } catch (error) {
    log.error('Message not parsed', { messageId, errorName: errorName(error) });
    return undefined;
  }
}

/**
 * The answer to each message; none for a message that the handler left out. Answers that no message is left
 * for mean that the handler mixed its messages up, so none of its answers is believed.
 */
function withAnswers(
  messages: readonly QueueMessage<unknown>[],
  results: readonly MessageResult[],
  { log }: LogContext,
): readonly { received: ReceivedMessage; answer: MessageAnswer | undefined }[] {
  const left = [...results];
  const answered = messages.map(({ messageId, received }) => {
    const index = left.findIndex((each) => each.messageId === messageId);
    return { received, answer: index < 0 ? undefined : left.splice(index, 1)[0]?.answer };
  });
  const missing = answered.filter(({ answer }) => answer === undefined).length;
  if (left.length === 0 && missing === 0) return answered;
  log.error('Answers do not fit the messages', { missing, unknown: left.length });
  return left.length === 0
    ? answered
    : messages.map(({ received }) => ({ received, answer: 'retry' }));
}

/** Whether the message needs its event source no more. */
async function isSettled(
  ways: WaysOut,
  received: ReceivedMessage,
  answer: MessageAnswer | undefined,
  context: LogContext,
): Promise<boolean> {
  if (answer === 'acknowledge') return true;
  if (answer === 'retry' || answer === undefined) return false;
  if ('requeueAfterSeconds' in answer) {
    return sendAgain(ways, received, answer.requeueAfterSeconds, context);
  }
  const { messageId, body } = received;
  const kept = answer.isBodyWithheld ? WITHHELD : body;
  return addDeadLetter(ways, { messageId, body: kept }, answer.deadLetterReason, context);
}

async function sendAgain(
  ways: WaysOut,
  received: ReceivedMessage,
  afterSeconds: number,
  context: LogContext,
): Promise<boolean> {
  const { messageId } = received;
  try {
    const sent = await ways.requeue(received, afterSeconds);
    if (sent !== 'sent') return await addDeadLetter(ways, received, sent.givenUp, context);
    context.log.info('Message requeued', { messageId, afterSeconds });
    return true;
  } catch (error) {
    context.log.error('Message not requeued', { messageId, ...errorFields(error) });
    return false;
  }
}

async function addDeadLetter(
  { deadLetters }: WaysOut,
  { messageId, body }: Pick<ReceivedMessage, 'messageId' | 'body'>,
  reason: string,
  { log }: LogContext,
): Promise<boolean> {
  log.error('Message sent to the dead-letter queue', { messageId, reason });
  try {
    await deadLetters.add(body, reason, messageId);
    return true;
  } catch (error) {
    log.error('Dead-letter queue not reached', { messageId, ...errorFields(error) });
    return false;
  }
}
