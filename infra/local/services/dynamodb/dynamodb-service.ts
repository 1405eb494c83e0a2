import * as v from 'valibot';
import { serviceError } from '../../endpoint/aws-call.ts';
import type { JsonAnswer, JsonService } from '../../endpoint/json-service.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { AccountPlace } from '../../template/place.ts';
import { type DynaliteEngine, READS } from './dynalite-engine.ts';

const WRITES = ['PutItem', 'UpdateItem', 'DeleteItem'];

const addressSchema = v.object({ TableName: v.string(), IndexName: v.optional(v.string()) });
const parametersSchema = v.looseObject({ ReturnConsumedCapacity: v.optional(v.string()) });
const answerSchema = v.looseObject({
  __type: v.optional(v.string(), ''),
  ConsumedCapacity: v.optional(v.object({ CapacityUnits: v.number() })),
});

/**
 * Amazon DynamoDB for the callers of the endpoint. Every call asks the engine for the consumed
 * capacity, to count request units; the caller sees it only when it asked too.
 */
export function dynamodbService(
  engine: DynaliteEngine,
  { region, accountId }: AccountPlace,
  meterOf: MeterOf,
): JsonService {
  return {
    actions: new Set([...READS, ...WRITES]),
    /** The table, or the index for a query of one. */
    requests(action, parameters) {
      const parsed = v.safeParse(addressSchema, parameters);
      const { TableName = '', IndexName } = parsed.success ? parsed.output : {};
      const index = IndexName === undefined ? '' : `/index/${IndexName}`;
      const resource = `arn:aws:dynamodb:${region}:${accountId}:table/${TableName}${index}`;
      return [{ action: `dynamodb:${action}`, resource }];
    },
    async answer(caller, action, parameters) {
      const meter = meterOf(caller);
      meter.call(caller, 'dynamodb', action);
      const parsed = v.safeParse(parametersSchema, parameters);
      if (!parsed.success) {
        return serviceError('SerializationException', 'The body is not a JSON object');
      }
      const asked = parsed.output.ReturnConsumedCapacity ?? 'NONE';
      const measured = asked === 'NONE' ? 'TOTAL' : asked;
      const counted = { ...parsed.output, ReturnConsumedCapacity: measured };
      const answer = await engine.call(action, counted);
      const unit = READS.has(action) ? 'dynamodbReadUnits' : 'dynamodbWriteUnits';
      const [shown, count] = withoutUnits(answer);
      meter.bill(unit, count);
      return asked === 'NONE' && answer.status === 200 ? { ...answer, body: shown } : answer;
    },
  };
}

/** The body of an answer without what the call consumed, and that. */
function withoutUnits({ body }: JsonAnswer): readonly [body: string, units: number] {
  const { ConsumedCapacity, __type, ...rest } = v.parse(answerSchema, JSON.parse(body));
  // A write whose condition fails is billed too: one unit.
  const failedCondition = __type.endsWith('ConditionalCheckFailedException') ? 1 : 0;
  return [JSON.stringify(rest), ConsumedCapacity?.CapacityUnits ?? failedCondition];
}
