import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { FanOutMessage } from '../messages/fan-out-message.ts';
import { callAws } from './call-aws.ts';

/** Where what is left of a fan-out goes on. */
export interface FanOutQueue {
  /** @param delaySeconds Whole seconds, 0 to 900. */
  send(message: FanOutMessage, delaySeconds: number): Promise<void>;
}

export function createFanOutQueue(client: SQSClient, queueUrl: string): FanOutQueue {
  return {
    send: async (message, delaySeconds) => {
      const command = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(message),
        DelaySeconds: delaySeconds,
      });
      await callAws('SQS SendMessage', () => client.send(command));
    },
  };
}
