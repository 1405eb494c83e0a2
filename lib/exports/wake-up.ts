import * as v from 'valibot';
import { parseJson } from '../json/json-value.ts';
import { CONNECTION_NAME, EXPORT_ID } from '../names.ts';
import type { WakeUp } from './ports.ts';

const WakeUpSchema = v.strictObject({
  v: v.literal(1),
  connection: v.pipe(v.string(), v.regex(CONNECTION_NAME)),
  exportId: v.pipe(v.string(), v.regex(EXPORT_ID)),
  step: v.pipe(v.number(), v.safeInteger(), v.minValue(0)),
});

export type ParsedWakeUp =
  | { readonly kind: 'wake-up'; readonly wakeUp: WakeUp }
  /** Retrying cannot help: the message goes to the dead-letter queue with this reason. */
  | { readonly kind: 'malformed'; readonly reason: string };

/** Parses the body of a queue message. The reason names the wrong members, but no value. */
export function parseWakeUp(body: unknown): ParsedWakeUp {
  const parsed = v.safeParse(WakeUpSchema, typeof body === 'string' ? parseJson(body) : undefined);
  if (parsed.success) return { kind: 'wake-up', wakeUp: parsed.output };
  const places = parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the message');
  return {
    kind: 'malformed',
    reason: `Not a wake-up: ${[...new Set(places)].join(', ')} is missing, unknown or wrong. Expected {"v":1,"connection":…,"exportId":…,"step":…}.`,
  };
}
