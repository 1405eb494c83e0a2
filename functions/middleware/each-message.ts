import * as v from 'valibot';
import { parseSetting } from '../../lib/customers-api/parse-options.ts';
import type { MessageAnswer } from '../messages/message.ts';
import { handleEach } from './handle-each.ts';
import type { LogContext } from './invocation-log.ts';
import type { MessageResult, Messages } from './queue-messages.ts';

export const HandleSchema = v.function('expected a function that handles one message');
const AnswerSchema = v.union(
  [
    v.picklist(['acknowledge', 'retry']),
    v.looseObject({ requeueAfterSeconds: v.pipe(v.number(), v.minValue(0)) }),
    v.looseObject({
      deadLetterReason: v.string(),
      isBodyWithheld: v.exactOptional(v.literal(true)),
    }),
  ],
  "expected 'acknowledge', 'retry', { requeueAfterSeconds } or { deadLetterReason }",
);

/**
 * The handler after `queueChain` or `eventChain`: handles the messages one after the other, and one that throws
 * comes back without its neighbours. So does one whose answer is none.
 *
 * @throws SettingError when it is made without a function.
 */
export function eachMessage<T, Context extends LogContext = LogContext>(
  handle: (value: T, context: Context) => Promise<MessageAnswer>,
): (event: Messages<T>, context: Context) => Promise<readonly MessageResult[]> {
  parseSetting(HandleSchema, handle, 'handle');
  return handleEach<T, Context>(async (value, context) => {
    const answer = await handle(value, context);
    parseSetting(AnswerSchema, answer, 'answer');
    return answer;
  });
}
