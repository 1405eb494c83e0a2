import { type EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { ChangesEvent, PublishPorts } from '../../lib/changes/ports.ts';
import type { RecordEntry } from '../../lib/changes/record-event.ts';
import type { ExportEvent } from '../../lib/exports/ports.ts';
import type { SchemaChangedEvent } from '../../lib/exports/schema-changed.ts';
import type { GateOpenedEvent } from '../../lib/gate/open-gate.ts';
import type { OrganizationEvent } from '../../lib/gate/ports.ts';
import type { WriteEvent } from '../../lib/writes/ports.ts';
import { AwsCallError, callAws } from './call-aws.ts';

export const EVENT_SOURCE = 'customers-functions';
/** Raised when a consumer would have to change. */
const DETAIL_VERSION = 1;
export type BusEvent =
  | ExportEvent
  | ChangesEvent
  | SchemaChangedEvent
  | WriteEvent
  | OrganizationEvent
  | GateOpenedEvent;

export interface EventBus {
  /** @throws AwsCallError */
  readonly publish: (event: BusEvent) => Promise<void>;
}

export const DETAIL_TYPES: Readonly<Record<BusEvent['kind'], string>> = {
  completed: 'Export Completed',
  failed: 'Export Failed',
  halted: 'Export Halted',
  cancelled: 'Export Cancelled',
  'throttled-long': 'Export Throttled Long',
  done: 'Write Done',
  refused: 'Write Refused',
  unclear: 'Write Unclear',
  'organization-changed': 'Organization Changed',
  'gate-opened': 'Gate Opened',
  'schema-changed': 'Schema Changed',
  'changes-found': 'Changes Found',
  'changes-held': 'Changes Held',
};

/**
 * Publishes events of exports, writes, organizations and gates to an EventBridge bus; the detail is the whole event
 * with its version `v` and the id of the integration, as the JSON Schemas in `lib/events` say.
 */
export function createEventBus(
  client: EventBridgeClient,
  busName: string,
  integration: string,
): EventBus {
  return {
    publish: async (event: BusEvent): Promise<void> => {
      const entry = {
        EventBusName: busName,
        Source: EVENT_SOURCE,
        DetailType: DETAIL_TYPES[event.kind],
        Time: new Date(event.atMs),
        Detail: JSON.stringify({ v: DETAIL_VERSION, integration, ...event }),
      };
      const command = new PutEventsCommand({ Entries: [entry] });
      const answer = await callAws('EventBridge PutEvents', () => client.send(command));
      // A refused entry is not an error to the SDK: the call itself succeeded.
      if ((answer.FailedEntryCount ?? 0) === 0) return;
      const [refused] = answer.Entries ?? [];
      throw new AwsCallError('EventBridge PutEvents', refused?.ErrorCode ?? 'EntryRefused');
    },
  };
}

/** Publishes events of single records, many in one call. The detail is made already, and is not written anew. */
export function createRecordBus(client: EventBridgeClient, busName: string): PublishPorts['bus'] {
  return {
    put: async (entries: readonly RecordEntry[]): Promise<readonly RecordEntry[]> => {
      const command = new PutEventsCommand({
        Entries: entries.map(({ detailType, detail, atMs }) => ({
          EventBusName: busName,
          Source: EVENT_SOURCE,
          DetailType: detailType,
          Time: new Date(atMs),
          Detail: detail,
        })),
      });
      const answer = await callAws('EventBridge PutEvents', () => client.send(command));
      if ((answer.FailedEntryCount ?? 0) === 0) return [];
      // In the order of the entries; one without an answer is not known to be taken.
      return entries.filter((_, index) => answer.Entries?.[index]?.EventId === undefined);
    },
  };
}
