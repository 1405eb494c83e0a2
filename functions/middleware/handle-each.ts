import { errorFields } from '../log/log.ts';
import type { MessageAnswer } from '../messages/message.ts';
import type { LogContext } from './invocation-log.ts';
import type { MessageResult, Messages } from './queue-messages.ts';

/**
 * The handler after `queueChain` or `eventChain`: handles the messages one after the other, and one that throws
 * comes back without its neighbours.
 */
export function handleEach<T, Context extends LogContext = LogContext>(
  handle: (value: T, context: Context) => Promise<MessageAnswer>,
): (event: Messages<T>, context: Context) => Promise<readonly MessageResult[]> {
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
