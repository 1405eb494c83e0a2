import * as v from 'valibot';
import { type ServiceError, serviceError } from '../../endpoint/aws-call.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { Place } from '../../template/place.ts';
import {
  callQueueEngine,
  createEngineQueue,
  type EngineAnswer,
  engineQueueArn,
  engineQueueUrl,
  type QueueEngine,
  type QueueState,
  queueStates,
} from './sqs-engine.ts';
import { sqsRefusal } from './sqs-limits.ts';

const queueUrlSchema = v.looseObject({ QueueUrl: v.string() });
const queueNameSchema = v.object({ QueueName: v.string() });
const batchSchema = v.looseObject({ Entries: v.array(v.looseObject({ Id: v.string() })) });
const batchAnswerSchema = v.looseObject({ Failed: v.optional(v.array(v.unknown()), []) });

/** The stack's queues. Every call of SQS, from functions and from this process, passes `call`. */
export interface Queues {
  create(name: string, attributes: Readonly<Record<string, string>>): Promise<void>;
  has(name: string): boolean;
  nameOfArn(arn: string): string | undefined;
  /** @param parameters What the SDK sends as JSON. */
  call(caller: string, action: string, parameters: unknown): Promise<EngineAnswer | ServiceError>;
  states(): Promise<readonly QueueState[]>;
}

// What a stack's queues are is decided by its template.
const FORWARDED = new Set([
  'SendMessage',
  'SendMessageBatch',
  'ReceiveMessage',
  'DeleteMessage',
  'DeleteMessageBatch',
  'ChangeMessageVisibility',
  'ChangeMessageVisibilityBatch',
  'GetQueueAttributes',
  'PurgeQueue',
]);

export function createQueues(engine: QueueEngine, place: Place, meterOf: MeterOf): Queues {
  const names = new Set<string>();
  const arnPrefix = `arn:aws:sqs:${place.region}:${place.accountId}:`;
  const urlOf = (name: string) => `${place.endpointUrl}/${place.accountId}/${name}`;

  return {
    async create(name, attributes) {
      await createEngineQueue(engine, name, attributes);
      names.add(name);
    },
    has: (name) => names.has(name),
    nameOfArn(arn) {
      const name = arn.startsWith(arnPrefix) ? arn.slice(arnPrefix.length) : '';
      return names.has(name) ? name : undefined;
    },
    async call(caller, action, parameters) {
      const meter = meterOf(caller);
      meter.call(caller, 'sqs', action);
      const answer = await answerOf(action, parameters);
      const sentBytes = JSON.stringify(parameters)?.length ?? 0;
      meter.sqsPayload(Math.max(sentBytes, 'body' in answer ? answer.body.length : 0));
      return answer;
    },
    states: () => queueStates(engine),
  };

  async function answerOf(
    action: string,
    parameters: unknown,
  ): Promise<EngineAnswer | ServiceError> {
    if (action === 'GetQueueUrl') {
      const named = v.safeParse(queueNameSchema, parameters);
      if (!named.success || !names.has(named.output.QueueName)) return unknownQueue();
      return ok({ QueueUrl: urlOf(named.output.QueueName) });
    }
    if (action === 'ListQueues') return ok({ QueueUrls: [...names].map(urlOf) });
    if (!FORWARDED.has(action)) {
      const message = `The local endpoint does not run ${action}.`;
      return serviceError('com.amazonaws.sqs#UnsupportedOperation', message);
    }
    const addressed = v.safeParse(queueUrlSchema, parameters);
    const name = addressed.success ? addressed.output.QueueUrl.split('/').at(-1) : undefined;
    if (!addressed.success || name === undefined || !names.has(name)) return unknownQueue();
    const refusal = sqsRefusal(action, addressed.output);
    if (refusal !== undefined) return refusal;
    const forwarded = { ...addressed.output, QueueUrl: engineQueueUrl(name) };
    const answer = action.endsWith('Batch')
      ? await callBatch(action, forwarded)
      : await callQueueEngine(engine, action, forwarded);
    return action === 'GetQueueAttributes'
      ? { ...answer, body: answer.body.replaceAll(engineQueueArn(''), arnPrefix) }
      : answer;
  }

  /** An entry beyond a limit fails alone. */
  async function callBatch(action: string, parameters: unknown): Promise<EngineAnswer> {
    const batch = v.safeParse(batchSchema, parameters);
    if (!batch.success) return callQueueEngine(engine, action, parameters);
    const refused = batch.output.Entries.flatMap((entry) => {
      const refusal = sqsRefusal(action, entry);
      return refusal === undefined
        ? []
        : [
            {
              Id: entry.Id,
              SenderFault: true,
              Code: 'InvalidParameterValue',
              Message: refusal.message,
            },
          ];
    });
    if (refused.length === 0) return callQueueEngine(engine, action, parameters);
    const refusedIds = new Set(refused.map(({ Id }) => Id));
    const Entries = batch.output.Entries.filter(({ Id }) => !refusedIds.has(Id));
    if (Entries.length === 0) return ok({ Successful: [], Failed: refused });
    const answer = await callQueueEngine(engine, action, { ...batch.output, Entries });
    if (answer.status !== 200) return answer;
    const parsed = v.parse(batchAnswerSchema, JSON.parse(answer.body));
    return ok({ ...parsed, Failed: [...parsed.Failed, ...refused] });
  }
}

function ok(value: unknown): EngineAnswer {
  return { status: 200, headers: {}, body: JSON.stringify(value) };
}

function unknownQueue(): ServiceError {
  return serviceError('com.amazonaws.sqs#QueueDoesNotExist', 'The specified queue does not exist.');
}
