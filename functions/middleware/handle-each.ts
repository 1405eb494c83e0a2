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

/**
 * Pairs the messages of a batch that was handled as a whole with its reports, which are in their order.
 *
 * @throws RangeError when there are not as many: a report could belong to another message, so all come back.
 */
export function pairInOrder<Message, Report>(
  messages: readonly Message[],
  reports: readonly Report[],
): readonly (readonly [Message, Report])[] {
  const pairs = messages.flatMap((message, index) =>
    reports.slice(index, index + 1).map((report) => [message, report] as const),
  );
  if (pairs.length === messages.length && pairs.length === reports.length) return pairs;
  throw new RangeError(`expected ${messages.length} reports, got ${reports.length}`);
}
