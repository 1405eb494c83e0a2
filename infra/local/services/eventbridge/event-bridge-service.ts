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
import { busNameOf } from '../../template/made-resources.ts';
import type { EventBuses } from './event-buses.ts';

const entrySchema = v.object({
  Source: v.optional(v.string()),
  DetailType: v.optional(v.string()),
  Detail: v.optional(v.string()),
  EventBusName: v.optional(v.string()),
  Resources: v.optional(v.array(v.string()), []),
  Time: v.optional(v.number()),
});
// The service's own limit (API reference, PutEvents).
const parametersSchema = v.object({
  Entries: v.pipe(v.array(entrySchema), v.minLength(1), v.maxLength(10)),
});
type Entry = v.InferOutput<typeof entrySchema>;

/** Amazon EventBridge for the callers of the endpoint: PutEvents. */
export function eventBridgeService(
  buses: EventBuses,
  meterOf: MeterOf,
  refusalOf: RefusalOf,
): AwsService {
  return async ({ caller, request, response }) => {
    const action = targetActionOf(request);
    const meter = meterOf(caller);
    meter.call(caller, 'events', action);
    const body = await readJsonBody(request);
    const refusal = refusalOf(caller, action, body);
    const parameters = v.safeParse(parametersSchema, body);
    if (refusal !== undefined) {
      answerJson(response, serviceError('AccessDeniedException', refusal.message));
    } else if (action !== 'PutEvents') {
      const message = `The local endpoint does not run ${action}.`;
      answerJson(response, serviceError('UnknownOperationException', message));
    } else if (!parameters.success) {
      const message = parameters.issues.map((issue) => issue.message).join('; ');
      answerJson(response, serviceError('ValidationException', message));
    } else {
      const Entries = parameters.output.Entries.map((entry) => put(entry, buses));
      const FailedEntryCount = Entries.filter((entry) => 'ErrorCode' in entry).length;
      meter.events(Entries.length - FailedEntryCount);
      answerJson(response, { FailedEntryCount, Entries });
    }
  };
}

function put(entry: Entry, buses: EventBuses) {
  const { Source, DetailType, Detail } = entry;
  if (!Source || !DetailType || !Detail) {
    return failed('InvalidArgument', 'Parameter Source, DetailType or Detail is missing or empty.');
  }
  if (Source.startsWith('aws.')) {
    return failed('NotAuthorizedForSourceException', `Not authorized for the source ${Source}.`);
  }
  const detail = objectOf(Detail);
  if (detail === undefined) return failed('MalformedDetail', 'Detail is not a JSON object.');
  const bus = busNameOf(entry.EventBusName);
  // AWS accepts an event for a bus that does not exist and drops it.
  const EventId = buses.put(bus, {
    source: Source,
    detailType: DetailType,
    detail,
    resources: entry.Resources,
    ...(entry.Time !== undefined && { timeMs: entry.Time * 1000 }),
  });
  return { EventId };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return v.parse(v.record(v.string(), v.unknown()), JSON.parse(text));
  } catch {
    return undefined;
  }
}

function failed(ErrorCode: string, ErrorMessage: string) {
  return { ErrorCode, ErrorMessage };
}
