import * as v from 'valibot';
import type { CompletedExport } from '../../lib/exports/describe-export.ts';
import { manifestKey as manifestKeyOf } from '../../lib/exports/store-objects.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema, ExportIdSchema, ListNameSchema } from '../../lib/names.ts';
import { DETAIL_TYPES, EVENT_SOURCE } from '../aws/events.ts';
import type { ParsedBody } from './message.ts';
import { wrongPlaces } from './wrong-places.ts';

/** The event that the stack's rule looks for. */
export const EXPORT_COMPLETED = {
  source: EVENT_SOURCE,
  detailType: DETAIL_TYPES.completed,
} as const;

/** As much of `lib/events/export-completed.schema.json` as is needed. */
const EventSchema = v.object({
  source: v.literal(EXPORT_COMPLETED.source),
  'detail-type': v.literal(EXPORT_COMPLETED.detailType),
  detail: v.pipe(
    v.object({
      integration: v.string(),
      connection: ConnectionNameSchema,
      list: ListNameSchema,
      exportId: ExportIdSchema,
      manifestKey: v.string(),
    }),
    v.check(({ manifestKey, ...place }) => manifestKey === manifestKeyOf(place)),
  ),
});

/** @param integration Id of this integration. */
export function parseExportCompleted(
  body: string,
  integration: string,
): ParsedBody<CompletedExport> {
  const parsed = v.safeParse(EventSchema, parseJson(body));
  if (parsed.success && parsed.output.detail.integration === integration) {
    const { connection, list, exportId, manifestKey } = parsed.output.detail;
    return { kind: 'value', value: { connection, list, exportId, manifestKey } };
  }
  const places = parsed.success ? 'detail.integration' : wrongPlaces(parsed.issues, 'the message');
  return {
    kind: 'malformed',
    reason: `Not an event ${EXPORT_COMPLETED.detailType} of ${integration}: ${places} is missing or wrong.`,
  };
}
