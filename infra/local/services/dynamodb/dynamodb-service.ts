import * as v from 'valibot';
import {
  type AwsService,
  answerJson,
  type RefusalOf,
  readJsonBody,
  serviceError,
  targetActionOf,
} from '../../endpoint/aws-call.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import { type DynamodbEngine, READS } from './dynamodb-engine.ts';

const WRITES = new Set(['PutItem', 'UpdateItem', 'DeleteItem', 'BatchWriteItem']);

const parametersSchema = v.looseObject({ ReturnConsumedCapacity: v.optional(v.string()) });
const capacitySchema = v.object({ CapacityUnits: v.number() });
const answerSchema = v.looseObject({
  __type: v.optional(v.string(), ''),
  ConsumedCapacity: v.optional(v.union([capacitySchema, v.array(capacitySchema)])),
});

/**
 * Amazon DynamoDB for the callers of the endpoint. Every call asks the engine for the consumed
 * capacity, to count request units; the caller sees it only when it asked too.
 */
export function dynamodbService(
  engine: DynamodbEngine,
  meterOf: MeterOf,
  refusalOf: RefusalOf,
): AwsService {
  return async ({ caller, request, response }) => {
    const action = targetActionOf(request);
    const meter = meterOf(caller);
    meter.call(caller, 'dynamodb', action);
    const kind = READS.has(action) ? 'read' : WRITES.has(action) ? 'write' : undefined;
    const parameters = v.safeParse(parametersSchema, await readJsonBody(request));
    if (!parameters.success) {
      answerJson(response, serviceError('SerializationException', 'The body is not a JSON object'));
      return;
    }
    const refusal = refusalOf(caller, action, parameters.output);
    if (refusal !== undefined) {
      const code = 'com.amazon.coral.service#AccessDeniedException';
      answerJson(response, serviceError(code, refusal.message));
      return;
    }
    const asked = parameters.output.ReturnConsumedCapacity ?? 'NONE';
    const counted = kind !== undefined && asked === 'NONE';
    const answer = await engine.call(
      action,
      counted ? { ...parameters.output, ReturnConsumedCapacity: 'TOTAL' } : parameters.output,
    );
    let body = answer.body;
    if (kind !== undefined) {
      const { ConsumedCapacity, ...rest } = v.parse(answerSchema, JSON.parse(answer.body));
      const consumed = [ConsumedCapacity ?? []].flat();
      // A write whose condition fails is billed too: at least one unit.
      const failedCondition = rest.__type.endsWith('ConditionalCheckFailedException') ? 1 : 0;
      const units = consumed.reduce(
        (sum, { CapacityUnits }) => sum + CapacityUnits,
        failedCondition,
      );
      meter.dynamodbUnits(kind, units);
      if (counted && answer.status === 200) body = JSON.stringify({ ...rest, __type: undefined });
    }
    response.writeHead(answer.status, {
      'content-type': 'application/x-amz-json-1.0',
      'content-length': Buffer.byteLength(body),
    });
    response.end(body);
  };
}
