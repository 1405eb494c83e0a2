import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { WakeUpQueue } from '../../lib/exports/ports.ts';
import { MAX_DELAY_SECONDS } from '../../lib/steps/delay.ts';
import type { WriteQueue } from '../../lib/writes/ports.ts';
import { callAws } from './call-aws.ts';

/** Wake-ups on a standard SQS queue: delivered at least once, in any order. */
export function createWakeUpQueue(client: SQSClient, queueUrl: string): WakeUpQueue {
  return pointersTo(client, queueUrl);
}

/** Pointers to writes on a standard SQS queue: delivered at least once, in any order. */
export function createWriteQueue(client: SQSClient, queueUrl: string): WriteQueue {
  return pointersTo(client, queueUrl);
}

function pointersTo(client: SQSClient, queueUrl: string) {
  return {
    send: async (pointer: { readonly connection: string }, delaySeconds: number) => {
      requireDelay(delaySeconds);
      const message = new SendMessageCommand({
        QueueUrl: queueUrl,
        MessageBody: JSON.stringify(pointer),
        DelaySeconds: delaySeconds,
        // Fair queues: a connection with many messages does not make the others wait.
        MessageGroupId: pointer.connection,
      });
      await callAws('SQS SendMessage', () => client.send(message));
    },
  };
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
