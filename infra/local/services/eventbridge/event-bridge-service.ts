import * as v from 'valibot';
import { isJsonObject, parseJson } from '../../../../lib/json/json-value.ts';
import { serviceError } from '../../endpoint/aws-call.ts';
import { type JsonService, jsonAnswer } from '../../endpoint/json-service.ts';
import type { MeterOf } from '../../endpoint/usage.ts';
import type { AccountPlace } from '../../template/place.ts';
import { busNameOf, type EventBuses } from './event-buses.ts';

const entrySchema = v.strictObject({
  Source: v.string(),
  DetailType: v.string(),
  Detail: v.string(),
  EventBusName: v.optional(v.string()),
  Time: v.optional(v.number()),
});
// The service's own limit (API reference, PutEvents).
const parametersSchema = v.strictObject({
  Entries: v.pipe(v.array(entrySchema), v.minLength(1), v.maxLength(10)),
});
type Entry = v.InferOutput<typeof entrySchema>;

/** Amazon EventBridge for the callers of the endpoint: PutEvents. */
export function eventBridgeService(
  buses: EventBuses,
  { region, accountId }: AccountPlace,
  meterOf: MeterOf,
): JsonService {
  return {
    actions: new Set(['PutEvents']),
    /** Each entry needs its bus. */
    requests(name, parameters) {
      const action = `events:${name}`;
      const parsed = v.safeParse(parametersSchema, parameters);
      if (!parsed.success) return [{ action, resource: '*' }];
      return parsed.output.Entries.map(({ EventBusName, Source, DetailType }) => ({
        action,
        resource: `arn:aws:events:${region}:${accountId}:event-bus/${busNameOf(EventBusName)}`,
        context: { 'events:source': Source, 'events:detail-type': DetailType },
      }));
    },
    async answer(caller, name, parameters) {
      const meter = meterOf(caller);
      meter.call(caller, 'events', name);
      const parsed = v.safeParse(parametersSchema, parameters);
      if (!parsed.success) return serviceError('ValidationException', v.summarize(parsed.issues));
      const Entries = parsed.output.Entries.map((entry) => put(entry, buses));
      const FailedEntryCount = Entries.filter((entry) => 'ErrorCode' in entry).length;
      meter.bill('eventBridgeEvents', Entries.length - FailedEntryCount);
      return jsonAnswer({ FailedEntryCount, Entries });
    },
  };
}

function put({ Source, DetailType, Detail, EventBusName, Time }: Entry, buses: EventBuses) {
  const detail = parseJson(Detail);
  if (!isJsonObject(detail)) {
    return { ErrorCode: 'MalformedDetail', ErrorMessage: 'Detail is not a JSON object.' };
  }
  // AWS accepts an event for a bus that does not exist and drops it.
  const EventId = buses.put(busNameOf(EventBusName), {
    source: Source,
    detailType: DetailType,
    detail,
    detailText: Detail,
    resources: [],
    ...(Time !== undefined && { timeMs: Time * 1000 }),
  });
  return { EventId };
}
