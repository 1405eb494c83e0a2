import middy, { type MiddlewareObj } from '@middy/core';
import * as v from 'valibot';
import { parseOptions } from '../../lib/customers-api/parse-options.ts';
import type { MessageAnswer, ParsedBody } from '../messages/message.ts';
import { invocationLog, type LogContext } from './invocation-log.ts';
import type { MessageResult, Messages } from './queue-messages.ts';

export interface EventChainOptions<T> {
  /** Reads the event. */
  readonly parse: (event: unknown) => ParsedBody<T>;
}

const OptionsSchema = v.strictObject({
  parse: v.function('expected a function that reads the event'),
});

/**
 * A chain for handlers that EventBridge invokes without a queue: `context.log`, and the event as a batch of one
 * message. To be ended with `.handler(eachMessage(…))` or `.handler(eachChange(…))`. Every answer but `acknowledge`, an
 * error, and an event that cannot be read fail the invocation: Lambda repeats it twice within minutes, and then hands the event to the
 * function's on-failure destination, if it has one.
 *
 * @throws SettingError naming the option that is wrong.
 */
export function eventChain<T>(options: EventChainOptions<T>) {
  parseOptions(OptionsSchema, options, 'options');
  return middy().use(invocationLog()).use(invokingEvent(options));
}

/** The event was not handled: Lambda is to repeat the invocation. */
class EventNotHandledError extends Error {
  override readonly name = 'EventNotHandledError';
  readonly code = 'EVENT_NOT_HANDLED';
}

function invokingEvent<T>({
  parse,
}: EventChainOptions<T>): MiddlewareObj<Messages<T>, readonly MessageResult[], Error, LogContext> {
  return {
    before: function invokingEventBefore(request) {
      const parsed = parse(request.event);
      if (parsed.kind === 'malformed') throw new EventNotHandledError(parsed.reason);
      const messageId = request.context.awsRequestId;
      request.event = { messages: [{ messageId, value: parsed.value }] };
    },
    after: function invokingEventAfter(request) {
      const [result] = request.response ?? [];
      request.response = null;
      const reason = failureOf(result?.answer);
      if (reason !== undefined) throw new EventNotHandledError(reason);
    },
  };
}

function failureOf(answer: MessageAnswer | undefined): string | undefined {
  if (answer === 'acknowledge') return undefined;
  if (answer === 'retry' || answer === undefined) return 'The handler did not handle the event.';
  if ('deadLetterReason' in answer) return answer.deadLetterReason;
  return `The handler asked to wait ${answer.requeueAfterSeconds} s, and nothing but a queue can: have the rule send events to a queue, and use queueChain.`;
}
