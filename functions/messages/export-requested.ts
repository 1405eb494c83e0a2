import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { CUSTOMERS_LIST } from '../../lib/exports/list-settings.ts';
import { ConnectionNameSchema, ListNameSchema } from '../../lib/names.ts';
import { wrongPlaces } from './wrong-places.ts';

/** The event that asks for an export; the stack's rule looks for both. */
export const EXPORT_REQUESTED = {
  /** Not the source of our own events, so that the right to ask can be given without the right to publish those. */
  source: 'customers-functions.requests',
  detailType: 'Export Requested',
} as const;

/** The same as `lib/events/export-requested.schema.json`. */
const EventSchema = v.object({
  id: v.pipe(v.string(), v.minLength(1), v.maxLength(256)),
  source: v.literal(EXPORT_REQUESTED.source),
  'detail-type': v.literal(EXPORT_REQUESTED.detailType),
  detail: v.strictObject({
    v: v.literal(1),
    integration: v.string(),
    connection: ConnectionNameSchema,
    list: v.optional(ListNameSchema, CUSTOMERS_LIST),
  }),
});

export interface ExportRequested {
  readonly connection: string;
  readonly list: string;
  /** EventBridge's own id: the same when it delivers the event again. */
  readonly eventId: string;
}

/** Whether this is an event of EventBridge and not the input of a direct invocation. */
export function isBusEvent(input: unknown): boolean {
  return typeof input === 'object' && input !== null && 'detail-type' in input;
}

/** @throws SettingError naming the member that is wrong, and no value of it. */
export function parseExportRequested(event: unknown, integration: string): ExportRequested {
  const parsed = v.safeParse(EventSchema, event);
  if (parsed.success && parsed.output.detail.integration === integration) {
    const { connection, list } = parsed.output.detail;
    return { connection, list, eventId: parsed.output.id };
  }
  throw new SettingError(
    parsed.success ? 'detail.integration' : wrongPlaces([parsed.issues[0]], 'event'),
    `missing, unknown or wrong in an event ${EXPORT_REQUESTED.detailType}. Expected source "${EXPORT_REQUESTED.source}" and detail {"v":1,"integration":"${integration}","connection":"…"}, where connection is 1 to 63 small letters, digits and hyphens, optionally with "list".`,
  );
}
