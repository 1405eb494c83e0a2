import * as v from 'valibot';
import { SettingError } from '../../lib/errors.ts';
import { exportIdOf, type Trigger } from '../../lib/exports/export-id.ts';
import { CUSTOMERS_LIST } from '../../lib/exports/list-settings.ts';
import type { WantedExport } from '../../lib/exports/start-export.ts';
import { ConnectionNameSchema, ListNameSchema } from '../../lib/names.ts';
import { isBusEvent, parseExportRequested } from './export-requested.ts';
import { wrongPlaces } from './wrong-places.ts';

/** SQS, EventBridge and HTTP clients make ids of at most this many characters. */
const ownId = v.pipe(v.string(), v.minLength(1), v.maxLength(256));

const TriggerSchema: v.GenericSchema<unknown, Trigger> = v.variant('kind', [
  v.strictObject({ kind: v.literal('request'), idempotencyKey: ownId }),
  v.strictObject({ kind: v.literal('schedule'), scheduledTime: ownId }),
  v.strictObject({ kind: v.literal('event'), eventId: ownId }),
]);

const StartInputSchema = v.strictObject({
  connection: ConnectionNameSchema,
  list: v.optional(ListNameSchema, CUSTOMERS_LIST),
  trigger: v.optional(TriggerSchema),
});

/** What the function `start-export` is invoked with. Without `list` it is `customers`; `trigger` may be left out in a direct invocation. */
export type StartInput = v.InferInput<typeof StartInputSchema>;

/**
 * Reads what the function `start-export` was invoked with: a {@link StartInput}, or an event
 * `Export Requested`.
 *
 * @param context `requestId` is Lambda's, the same in the repetitions of one asynchronous invocation.
 * @throws SettingError naming the member that is wrong.
 */
export function parseStartInput(
  input: unknown,
  { requestId, integration }: { readonly requestId: string; readonly integration: string },
): WantedExport {
  if (isBusEvent(input)) {
    const { connection, list, eventId } = parseExportRequested(input, integration);
    return { connection, list, exportId: exportIdOf(connection, list, { kind: 'event', eventId }) };
  }
  const parsed = v.safeParse(StartInputSchema, input);
  if (!parsed.success) {
    throw new SettingError(
      wrongPlaces([parsed.issues[0]], 'input'),
      'missing, unknown or wrong. Expected {"connection":"…"}, optionally with "list":"…" and "trigger": {"kind":"request","idempotencyKey":"…"}, {"kind":"schedule","scheduledTime":"…"} or {"kind":"event","eventId":"…"}.',
    );
  }
  const { connection, list, trigger } = parsed.output;
  const own: Trigger = trigger ?? { kind: 'request', idempotencyKey: requestId };
  return { connection, list, exportId: exportIdOf(connection, list, own) };
}
