import { SendMessageCommand, type SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { defined } from '../../lib/defined.ts';
import type { Clock } from '../../lib/gate/ports.ts';
import type { Redact } from '../../lib/key/redaction.ts';
import { delaySecondsUntil, MAX_DELAY_SECONDS } from '../../lib/steps/delay.ts';
import { liveKeys } from '../log/process-log.ts';
import { callAws } from './call-aws.ts';
import { clientSettings } from './client-settings.ts';

let shared: SQSClient | undefined;

/** One for the process. */
export function sqsClient(): SQSClient {
  shared ??= new SQSClient(clientSettings());
  return shared;
}

/** A standard SQS queue of messages as JSON: they are delivered at least once, in any order. */
export function createQueue(client: SQSClient, queueUrl: string, { now }: Pick<Clock, 'now'>) {
  return {
    /**
     * @param message Its body, with its version; messages of one connection form a group.
     * @param dueAtMs When it is due: it comes earlier where SQS delays no longer. @default at once
     */
    send: <Body extends { readonly v: 1; readonly connection?: string }>(
      message: Body,
      dueAtMs = 0,
    ): Promise<void> =>
      sendMessage(client, {
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        DelaySeconds: delaySecondsUntil(dueAtMs, now()),
        // Fair queues: a connection with many messages does not make the others wait.
        ...defined({ MessageGroupId: message.connection }),
      }),
  };
}

/** No JSON: whoever sends dead letters again does not get it carried out. */
export const WITHHELD = 'Not kept: the body of this message held a key.';

/** Takes messages that no repetition can help. */
export interface DeadLetters {
  /**
   * @param reason For the person who looks into the queue; kept as the attribute `Reason`.
   * @param messageId Of the message as it was received; kept as `OriginalMessageId`.
   */
  add(body: string, reason: string, messageId: string): Promise<void>;
}

/** @param redact What holds a key that it knows is not kept: dead letters lie for two weeks, and are read by people. */
export function createDeadLetters(
  client: SQSClient,
  queueUrl: string,
  redact: Redact = liveKeys.redact,
): DeadLetters {
  const text = (value: string) => ({ DataType: 'String', StringValue: storable(value) });
  return {
    add: (body, reason, messageId) =>
      sendMessage(client, {
        QueueUrl: queueUrl,
        MessageBody: redact(body) === body ? storable(body) : WITHHELD,
        MessageAttributes: {
          // SQS takes no attribute without a value (API reference, SendMessage).
          Reason: text(redact(reason) || 'No reason was told.'),
          OriginalMessageId: text(messageId),
        },
      }),
  };
}

/** With the escapes of JSON for what SQS refuses (API reference, SendMessage). */
function storable(text: string): string {
  return text.replace(
    /[^\t\n\r\x20-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** @throws RangeError for a delay that is no whole number from 0 to 900; AwsCallError. */
export async function sendMessage(client: SQSClient, message: SendMessageCommandInput) {
  requireDelay(message.DelaySeconds ?? 0);
  await callAws('SQS SendMessage', () => client.send(new SendMessageCommand(message)));
}

/** Asserted here: the SDK sends what it is given, and emulators take more than SQS does. */
function requireDelay(delaySeconds: number): void {
  const isDelay =
    Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= MAX_DELAY_SECONDS;
  if (isDelay) return;
  throw new RangeError(
    `delaySeconds: expected a whole number from 0 to ${MAX_DELAY_SECONDS}, got ${delaySeconds}`,
  );
}
