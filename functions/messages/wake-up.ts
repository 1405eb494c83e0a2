import * as v from 'valibot';
import type { WakeUp } from '../../lib/exports/ports.ts';
import { parseJson } from '../../lib/json/json-value.ts';
import { ConnectionNameSchema, ExportIdSchema } from '../../lib/names.ts';
import { count } from '../../lib/stored.ts';
import type { ParsedBody } from './message.ts';
import { wrongPlaces } from './wrong-places.ts';

const WakeUpSchema = v.strictObject({
  v: v.literal(1),
  connection: ConnectionNameSchema,
  exportId: ExportIdSchema,
  step: count,
});

/** Parses the body of a queue message. The reason names the wrong members, but no value. */
export function parseWakeUp(body: string): ParsedBody<WakeUp> {
  const parsed = v.safeParse(WakeUpSchema, parseJson(body));
  if (parsed.success) return { kind: 'value', value: parsed.output };
  return {
    kind: 'malformed',
    reason: `Not a wake-up: ${wrongPlaces(parsed.issues, 'the message')} is missing, unknown or wrong. Expected {"v":1,"connection":…,"exportId":…,"step":…}.`,
  };
}
