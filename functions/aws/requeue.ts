import type { MessageAttributeValue, SQSClient } from '@aws-sdk/client-sqs';
import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import type { Clock } from '../../lib/gate/ports.ts';
import { recordOf } from '../../lib/record-of.ts';
import { MAX_DELAY_SECONDS } from '../../lib/steps/delay.ts';
import { sendMessage } from './queue.ts';

/** A message as the event source hands it over, as far as it is sent again. */
export const ReceivedMessageSchema = v.object({
  messageId: v.pipe(v.string(), v.minLength(1)),
  body: v.string(),
  attributes: v.exactOptional(
    v.object({
      MessageGroupId: v.exactOptional(v.string()),
      SentTimestamp: v.exactOptional(v.string()),
    }),
  ),
  messageAttributes: v.exactOptional(
    recordOf(
      v.string(),
      v.object({
        dataType: v.string(),
        stringValue: v.exactOptional(v.string()),
        /** Base64. */
        binaryValue: v.exactOptional(v.string()),
      }),
    ),
  ),
});

export type ReceivedMessage = v.InferOutput<typeof ReceivedMessageSchema>;

/** When the message was sent for the first time, milliseconds since the epoch. */
const FIRST_SENT = 'FirstSentMs';

/** Of one message (Amazon SQS developer guide, "Message quotas"). SQS would never take one with more. */
const MAX_ATTRIBUTES = 10;

/** Sends a message again after a time; `givenUp` says why it is not sent any more. */
export type Requeue = (
  message: ReceivedMessage,
  afterSeconds: number,
) => Promise<'sent' | { readonly givenUp: string }>;

export interface RequeueOptions {
  readonly client: SQSClient;
  /**
   * Of the queue that the messages come from; a standard queue, since a FIFO queue takes no delay for a
   * single message.
   */
  readonly queueUrl: string;
  /** Since a message was sent for the first time. */
  readonly maxRequeueSeconds: number;
  readonly clock: Pick<Clock, 'now'>;
}

/** Longer waits than SQS's 900 s come back early: whoever handles the message then asks for the rest. */
export function createRequeue(options: RequeueOptions): Requeue {
  const { client, queueUrl, maxRequeueSeconds, clock } = options;
  return async (message, afterSeconds) => {
    const nowMs = clock.now();
    const sentAtMs = firstSentMs(message, nowMs);
    const ageSeconds = (nowMs - sentAtMs) / 1000;
    if (ageSeconds > maxRequeueSeconds) {
      const givenUp = `Sent ${Math.floor(ageSeconds)} s ago and requeued since, longer than maxRequeueSeconds (${maxRequeueSeconds}).`;
      return { givenUp };
    }
    if (!(afterSeconds >= 0)) {
      throw new RangeError(`requeueAfterSeconds: expected 0 or more, got ${afterSeconds}`);
    }
    const MessageAttributes = {
      ...attributesOf(message),
      [FIRST_SENT]: { DataType: 'Number', StringValue: String(sentAtMs) },
    };
    const others = Object.keys(MessageAttributes).length - 1;
    if (others >= MAX_ATTRIBUTES) {
      const givenUp = `It has ${others} attributes, and to be requeued it needs one more, ${FIRST_SENT}. Send it with ${MAX_ATTRIBUTES - 1} at most.`;
      return { givenUp };
    }
    await sendMessage(client, {
      QueueUrl: queueUrl,
      MessageBody: message.body,
      DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.ceil(afterSeconds)),
      MessageAttributes,
      ...defined({ MessageGroupId: message.attributes?.MessageGroupId }),
    });
    return 'sent';
  };
}

/**
 * When the message, or the one that it repeats, was sent. Whoever sends a message may write anything into it: one that
 * would be sent in the future would never be too old.
 */
function firstSentMs({ messageAttributes, attributes }: ReceivedMessage, nowMs: number): number {
  const told = [messageAttributes?.[FIRST_SENT]?.stringValue, attributes?.SentTimestamp];
  const sentMs = told.filter((text) => text !== undefined).map(Number);
  return Math.min(nowMs, ...sentMs.filter((ms) => Number.isSafeInteger(ms) && ms >= 0));
}

function attributesOf({
  messageAttributes = {},
}: ReceivedMessage): Record<string, MessageAttributeValue> {
  const attributes = Object.entries(messageAttributes).map(([name, each]) => {
    const { dataType: DataType, stringValue: StringValue, binaryValue } = each;
    const BinaryValue = binaryValue === undefined ? undefined : Buffer.from(binaryValue, 'base64');
    return [name, defined({ DataType, StringValue, BinaryValue })] as const;
  });
  return Object.fromEntries(attributes);
}
