import type { LogContext } from './invocation-log.ts';
import { errorFields } from './log.ts';
import type { MessageAnswer, MessageResult, QueueMessages } from './queue-messages.ts';

/**
 * The handler under {@link queueMessages}: handles the messages one after the other, and one that throws
 * comes back without its neighbours.
 */
export function eachMessage<T, Context extends LogContext = LogContext>(
  handle: (value: T, context: Context) => Promise<MessageAnswer>,
): (event: QueueMessages<T>, context: Context) => Promise<readonly MessageResult[]> {
  return async ({ messages }, context) => {
    const results: MessageResult[] = [];
    for (const { messageId, value } of messages) {
      try {
        results.push({ messageId, answer: await handle(value, context) });
      } catch (error) {
        context.log.error('Message failed', { messageId, ...errorFields(error) });
        results.push({ messageId, answer: 'retry' });
      }
    }
    return results;
  };
}
