import * as v from 'valibot';
import { type ChangeDetail, ChangeDetailSchema } from '../../lib/changes/change-event.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { EVENT_SOURCE } from '../aws/events.ts';
import type { ParsedBody } from './message.ts';
import { wrongPlaces } from './wrong-places.ts';

const EventSchema = v.object({
  source: v.literal(EVENT_SOURCE),
  'detail-type': v.pipe(v.string(), v.regex(/^(Customer|Record) (Added|Changed|Removed)$/)),
  detail: ChangeDetailSchema,
});

/**
 * Reads one event `Customer Added`, `Customer Changed` or `Customer Removed`, or of another list `Record Added`, `Record
 * Changed` or `Record Removed`: the whole event of EventBridge, as an object or as its JSON text in a queue.
 */
export function parseChangeEvent(event: unknown): ParsedBody<ChangeDetail> {
  const parsed = v.safeParse(EventSchema, typeof event === 'string' ? parseJson(event) : event);
  if (parsed.success) return { kind: 'value', value: parsed.output.detail };
  return {
    kind: 'malformed',
    reason: `Not an event of a record that was added, changed or removed, as EventBridge delivers it: ${wrongPlaces(parsed.issues, 'the event')} is missing or wrong.`,
  };
}
