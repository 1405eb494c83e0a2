import type { MessageAttributeValue, SQSClient } from '@aws-sdk/client-sqs';
import { defined } from '../../lib/defined.ts';
import type { Clock } from '../../lib/gate/ports.ts';
import { MAX_DELAY_SECONDS } from '../../lib/steps/delay.ts';
import { sendMessage } from './queue.ts';

/** A message as the event source hands it over, as far as it is sent again. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly body: string;
  readonly attributes?: { readonly MessageGroupId?: string; readonly SentTimestamp?: string };
  readonly messageAttributes?: Readonly<
    Record<string, { readonly dataType: string; readonly stringValue?: string }>
  >;
}

/** When the message was sent for the first time, milliseconds since the epoch. */
const FIRST_SENT = 'FirstSentMs';

/** Sends a message again after a time; `tooOld` tells why it is not sent any more. */
export type Requeue = (
  message: ReceivedMessage,
  afterSeconds: number,
) => Promise<'sent' | { readonly tooOld: string }>;

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
      const tooOld = `Sent ${Math.floor(ageSeconds)} s ago and requeued since, longer than maxRequeueSeconds (${maxRequeueSeconds}).`;
      return { tooOld };
    }
    if (!(afterSeconds >= 0)) {
      throw new RangeError(`requeueAfterSeconds: expected 0 or more, got ${afterSeconds}`);
    }
    await sendMessage(client, {
      QueueUrl: queueUrl,
      MessageBody: message.body,
      DelaySeconds: Math.min(MAX_DELAY_SECONDS, Math.ceil(afterSeconds)),
      MessageAttributes: {
        ...attributesOf(message),
        [FIRST_SENT]: { DataType: 'Number', StringValue: String(sentAtMs) },
      },
      ...defined({ MessageGroupId: message.attributes?.MessageGroupId }),
    });
    return 'sent';
  };
}

/** When the message, or the one that it repeats, was sent. */
function firstSentMs(message: ReceivedMessage, nowMs: number): number {
  const text =
    message.messageAttributes?.[FIRST_SENT]?.stringValue ?? message.attributes?.SentTimestamp;
  const sentMs = Number(text);
  return text !== undefined && Number.isSafeInteger(sentMs) && sentMs >= 0 ? sentMs : nowMs;
}

function attributesOf({
  messageAttributes = {},
}: ReceivedMessage): Record<string, MessageAttributeValue> {
  const texts = Object.entries(messageAttributes).flatMap(([name, { dataType, stringValue }]) =>
    stringValue === undefined
      ? []
      : [[name, { DataType: dataType, StringValue: stringValue }] as const],
  );
  return Object.fromEntries(texts);
}
