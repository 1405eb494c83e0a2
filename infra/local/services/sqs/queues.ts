import * as v from 'valibot';
import { recordOf } from '../../../../lib/record-of.ts';
import { type ServiceError, serviceError } from '../../endpoint/aws-call.ts';
import type { JsonAnswer } from '../../endpoint/json-service.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { AccountPlace } from '../../template/place.ts';
import type { Fauxqs } from '../fauxqs.ts';
import {
  callSqsEngine,
  createEngineQueue,
  engineQueueArn,
  engineQueueUrl,
  queueStates,
} from './sqs-engine.ts';

const addressSchema = v.object({ QueueUrl: v.string() });
const delaySchema = v.object({ DelaySeconds: v.nullish(v.unknown()) });
const attributesSchema = v.object({
  MessageAttributes: v.optional(
    recordOf(v.string(), v.object({ StringValue: v.optional(v.string()) })),
    {},
  ),
});

/** The service's limit, which the engine does not check (SQS developer guide, "Message quotas"). */
const MAX_DELAY_SECONDS = 900;

export type Queues = ReturnType<typeof createQueues>;

/** The stack's queues. Every call of SQS, from functions and from this process, passes `call`. */
export function createQueues(engine: Fauxqs, place: AccountPlace, meterOf: MeterOf) {
  const names = new Set<string>();
  const arnPrefix = `arn:aws:sqs:${place.region}:${place.accountId}:`;

  return {
    async create(name: string, attributes: Readonly<Record<string, string>>): Promise<void> {
      await createEngineQueue(engine, name, attributes);
      names.add(name);
    },
    async remove(name: string): Promise<void> {
      names.delete(name);
      await callSqsEngine(engine, 'DeleteQueue', { QueueUrl: engineQueueUrl(name) });
    },
    nameOfArn(arn: string): string | undefined {
      const name = arn.startsWith(arnPrefix) ? arn.slice(arnPrefix.length) : '';
      return names.has(name) ? name : undefined;
    },
    async call(caller: string, action: string, parameters: unknown) {
      const meter = meterOf(caller);
      meter.call(caller, 'sqs', action);
      const answer = await answerOf(action, parameters);
      const sentBytes = Buffer.byteLength(JSON.stringify(parameters) ?? '');
      meter.sqsPayload(Math.max(sentBytes, 'body' in answer ? Buffer.byteLength(answer.body) : 0));
      return answer;
    },
    states: () => queueStates(engine),
  };

  async function answerOf(action: string, parameters: unknown): Promise<JsonAnswer | ServiceError> {
    const name = queueNameIn(parameters);
    if (name === undefined || !names.has(name)) {
      const message = 'The specified queue does not exist.';
      return serviceError('com.amazonaws.sqs#QueueDoesNotExist', message);
    }
    const forwarded = { ...Object(parameters), QueueUrl: engineQueueUrl(name) };
    const refusal =
      action === 'SendMessage' ? (delayRefusal(forwarded) ?? emptyRefusal(forwarded)) : undefined;
    if (refusal !== undefined) return refusal;
    const answer = await callSqsEngine(engine, action, forwarded);
    return action === 'GetQueueAttributes'
      ? { ...answer, body: answer.body.replaceAll(engineQueueArn(''), arnPrefix) }
      : answer;
  }
}

/** `undefined` where none is named. */
export function queueNameIn(parameters: unknown): string | undefined {
  const parsed = v.safeParse(addressSchema, parameters);
  return parsed.success ? parsed.output.QueueUrl.split('/').at(-1) : undefined;
}

/** Why SQS refuses the delay of a message; `undefined` when it does not. */
function delayRefusal(message: unknown): ServiceError | undefined {
  const { DelaySeconds: delay } = v.parse(delaySchema, message);
  if (delay === undefined || delay === null) return undefined;
  const isValid =
    Number.isInteger(delay) && Number(delay) >= 0 && Number(delay) <= MAX_DELAY_SECONDS;
  if (isValid) return undefined;
  return serviceError(
    'com.amazonaws.sqs#InvalidParameterValue',
    `Value ${String(delay)} for parameter DelaySeconds is invalid. Reason: Must be an integer from 0 to ${MAX_DELAY_SECONDS}.`,
  );
}

/** Why SQS refuses the attributes of a message: one has no value (API reference, SendMessage). */
function emptyRefusal(message: unknown): ServiceError | undefined {
  const { MessageAttributes } = v.parse(attributesSchema, message);
  const empty = Object.entries(MessageAttributes).find(([, { StringValue }]) => StringValue === '');
  if (empty === undefined) return undefined;
  return serviceError(
    'com.amazonaws.sqs#InvalidParameterValue',
    `The message attribute '${empty[0]}' must contain a non-empty value.`,
  );
}
