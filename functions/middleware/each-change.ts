import { randomUUID } from 'node:crypto';
import * as v from 'valibot';
import {
  type ChangeDetail,
  type ChangeEvent,
  changeEventOf,
  type RecordReader,
} from '../../lib/changes/change-event.ts';
import { type EventStore, type HandledOnce, handleOnce } from '../../lib/changes/handle-once.ts';
import { parseOptions, parseSetting } from '../../lib/customers-api/parse-options.ts';
import type { StandardSchemaV1 } from '../../lib/customers-api/standard-schema.ts';
import { optionalSchema, type WithSchema } from '../../lib/customers-api/typed-record.ts';
import { systemClock } from '../aws/clock-and-random.ts';
import { errorFields } from '../log/log.ts';
import type { MessageAnswer } from '../messages/message.ts';
import { eachMessage, HandleSchema } from './each-message.ts';
import type { LogContext } from './invocation-log.ts';
import type { MessageResult, Messages } from './queue-messages.ts';

export interface EachChangeOptions {
  /**
   * Remembers which events were handled, such as `dynamoDbEventStore(…)`. `none`: every delivery is handled, for
   * handlers that do no harm when they are called again.
   */
  readonly store: EventStore | 'none';
  /** For records that are not in their event, such as `s3RecordReader()`. @default - none */
  readonly readRecord?: RecordReader | undefined;
}

type HandleChange<Value, Context> = (
  change: ChangeEvent<Value>,
  context: Context,
) => Promise<MessageAnswer>;

type HandleChanges<Context> = (
  event: Messages<ChangeDetail>,
  context: Context,
) => Promise<readonly MessageResult[]>;

const STORE_EXPECTED =
  "expected a store with claim, done and forget, such as dynamoDbEventStore(…), or 'none'";

const isStore = (given: unknown): boolean =>
  typeof given === 'object' &&
  given !== null &&
  ['claim', 'done', 'forget'].every((name) => typeof Reflect.get(given, name) === 'function');

const OptionsSchema = v.strictObject({
  store: v.union([v.literal('none'), v.custom<EventStore>(isStore)], STORE_EXPECTED),
  schema: optionalSchema,
  readRecord: v.optional(v.function('expected a function that reads a record')),
});

/**
 * The handler of change events, after `queueChain` or `eventChain` with `parse: parseChangeEvent`: handles them one
 * after the other, each once as far as the store remembers it, and one that throws comes back without its neighbours.
 * With a `schema` the record of a change is checked, and one that does not fit is a value: a misfit.
 *
 * An event counts as handled when the handler answers `acknowledge`. A handler that ends otherwise, or crashes, is
 * called again with the same event: what it did by then is done again.
 *
 * @throws SettingError when it is made: naming the option that is wrong, or `handle`.
 */
export function eachChange<Value, Context extends LogContext = LogContext>(
  options: EachChangeOptions & WithSchema<Value>,
  handle: HandleChange<Value, Context>,
): HandleChanges<Context>;
export function eachChange<Context extends LogContext = LogContext>(
  options: EachChangeOptions,
  handle: HandleChange<unknown, Context>,
): HandleChanges<Context>;
export function eachChange<Context extends LogContext>(
  options: EachChangeOptions & { readonly schema?: StandardSchemaV1 },
  handle: HandleChange<unknown, Context>,
): HandleChanges<Context> {
  parseOptions(OptionsSchema, options, 'options');
  parseSetting(HandleSchema, handle, 'handle');
  const { store } = options;
  return eachMessage<ChangeDetail, Context>(async (detail, context) => {
    const change = changeEventOf(detail, options);
    if (store === 'none') return handle(change, context);
    const untilMs = systemClock.now() + context.getRemainingTimeInMillis();
    const claim = { id: detail.id, token: randomUUID(), untilMs };
    const handled = await handleOnce(
      store,
      claim,
      () => handle(change, context),
      (answer) => answer === 'acknowledge',
    );
    return answerOf(handled, detail, context);
  });
}

function answerOf(
  handled: HandledOnce<MessageAnswer>,
  { id, exportId }: ChangeDetail,
  { log }: LogContext,
): MessageAnswer {
  switch (handled.kind) {
    case 'handled':
      if (handled.storeError !== undefined) {
        log.error('Store of events not reached', { exportId, ...errorFields(handled.storeError) });
      }
      return handled.answer;
    case 'done':
      log.info('Event handled before', { event: id });
      return 'acknowledge';
    case 'busy':
      log.info('Event is being handled', { event: id });
      return 'retry';
  }
}
