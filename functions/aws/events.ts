import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ExportEventKind } from '../../lib/exports/export-state.ts';
import type { EventBus, ExportEvent } from '../../lib/exports/ports.ts';
import { AwsCallError, callAws } from './call-aws.ts';

const EVENT_SOURCE = 'customers-functions';
/** Raised when a consumer would have to change. */
const DETAIL_VERSION = 1;
const DETAIL_TYPES: Readonly<Record<ExportEventKind, string>> = {
  completed: 'Export Completed',
  failed: 'Export Failed',
  halted: 'Export Halted',
  'throttled-long': 'Export Throttled Long',
};

/**
 * Publishes to an EventBridge bus; the detail is the whole event and its version `v`, as the JSON Schemas
 * in `lib/events` say.
 */
export function createEventBus(client: EventBridgeClient, busName: string): EventBus {
  return {
    publish: async (event) => {
      const command = new PutEventsCommand({ Entries: [entryOf(event, busName)] });
      const answer = await callAws('EventBridge PutEvents', () => client.send(command));
      // A refused entry is not an error to the SDK: the call itself succeeded.
      if ((answer.FailedEntryCount ?? 0) === 0) return;
      const [entry] = answer.Entries ?? [];
      throw new AwsCallError('EventBridge PutEvents', entry?.ErrorCode ?? 'EntryRefused');
    },
  };
}

function entryOf(event: ExportEvent, busName: string) {
  return {
    EventBusName: busName,
    Source: EVENT_SOURCE,
    DetailType: DETAIL_TYPES[event.kind],
    Time: new Date(event.atMs),
    Detail: JSON.stringify({ v: DETAIL_VERSION, ...event }),
  };
}
