import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventBus, ExportEvent } from '../../lib/exports/ports.ts';
import { AwsCallError, callAws } from './call-aws.ts';

const EVENT_SOURCE = 'customers-functions';
/** Raised when a consumer would have to change. */
const DETAIL_VERSION = 1;

/**
 * Publishes to an EventBridge bus: detail type `Export Completed` and so on, the detail being the whole
 * event and its version `v`.
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
    DetailType: `Export ${event.kind.charAt(0).toUpperCase()}${event.kind.slice(1)}`,
    Time: new Date(event.atMs),
    Detail: JSON.stringify({ v: DETAIL_VERSION, ...event }),
  };
}
