import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ExportEventKind } from '../../lib/exports/export-state.ts';
import type { EventBus } from '../../lib/exports/ports.ts';
import type { WriteEvent, WriteEvents } from '../../lib/writes/ports.ts';
import { AwsCallError, callAws } from './call-aws.ts';

const EVENT_SOURCE = 'customers-functions';
/** Raised when a consumer would have to change. */
const DETAIL_VERSION = 1;
const EXPORT_DETAIL_TYPES: Readonly<Record<ExportEventKind, string>> = {
  completed: 'Export Completed',
  failed: 'Export Failed',
  halted: 'Export Halted',
  'throttled-long': 'Export Throttled Long',
};
const WRITE_DETAIL_TYPES: Readonly<Record<WriteEvent['kind'], string>> = {
  done: 'Write Done',
  refused: 'Write Refused',
  unclear: 'Write Unclear',
};

/**
 * Publishes events of exports to an EventBridge bus; the detail is the whole event and its version `v`, as
 * the JSON Schemas in `lib/events` say.
 */
export function createEventBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    publish: (event) => publish(client, busName, EXPORT_DETAIL_TYPES[event.kind], event),
  };
}

/** The same for events of writes. */
export function createWriteEvents(client: EventBridgeClient, busName: string): WriteEvents {
  return {
    publish: (event) => publish(client, busName, WRITE_DETAIL_TYPES[event.kind], event),
  };
}

async function publish(
  client: EventBridgeClient,
  busName: string,
  detailType: string,
  event: { readonly atMs: number },
): Promise<void> {
  const entry = {
    EventBusName: busName,
    Source: EVENT_SOURCE,
    DetailType: detailType,
    Time: new Date(event.atMs),
    Detail: JSON.stringify({ v: DETAIL_VERSION, ...event }),
  };
  const command = new PutEventsCommand({ Entries: [entry] });
  const answer = await callAws('EventBridge PutEvents', () => client.send(command));
  // A refused entry is not an error to the SDK: the call itself succeeded.
  if ((answer.FailedEntryCount ?? 0) === 0) return;
  const [refused] = answer.Entries ?? [];
  throw new AwsCallError('EventBridge PutEvents', refused?.ErrorCode ?? 'EntryRefused');
}
