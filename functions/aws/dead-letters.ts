import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { callAws } from './call-aws.ts';

/** Takes messages that no repetition can help. */
export interface DeadLetters {
  /**
   * @param reason For the person who looks into the queue; kept as the attribute `Reason`.
   * @param messageId Of the message as it was received; kept as `OriginalMessageId`.
   */
  add(body: string, reason: string, messageId: string): Promise<void>;
}

export function createDeadLetters(client: SQSClient, queueUrl: string): DeadLetters {
  return {
    add: async (body, reason, messageId) => {
      const message = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: body,
        MessageAttributes: { Reason: text(reason), OriginalMessageId: text(messageId) },
      });
      await callAws('SQS SendMessage', () => client.send(message));
    },
  };
}

function text(value: string): { DataType: 'String'; StringValue: string } {
  return { DataType: 'String', StringValue: value };
}
