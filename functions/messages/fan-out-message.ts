import * as v from 'valibot';
import type { ParsedBody } from '../middleware/queue-messages.ts';
import { ConnectionNameSchema } from '../services/connection-settings.ts';

const names = v.array(ConnectionNameSchema);

const FanOutSchema = v.strictObject({
  v: v.literal(1),
  /** ISO 8601, as EventBridge Scheduler gives it; the same however often it delivers. */
  scheduledTime: v.pipe(v.string(), v.isoTimestamp()),
  /** The starts are spread over so many minutes. */
  windowMinutes: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(1440))),
  /** Connections with a schedule of their own, or none. */
  except: v.exactOptional(names),
  /** Goes on behind this connection. */
  after: v.exactOptional(ConnectionNameSchema),
  /** Only these, whose starts failed. */
  only: v.exactOptional(v.pipe(names, v.minLength(1))),
});

/** What the queue of the function `start-all-exports` holds: one planned time, or what is left of it. */
export type FanOutMessage = v.InferOutput<typeof FanOutSchema>;

/** Reads the body of a message. The reason names what is wrong, and no value of the message. */
export function parseFanOutMessage(body: string): ParsedBody<FanOutMessage> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), FanOutSchema), body);
  if (parsed.success) return { kind: 'value', value: parsed.output };
  const places = new Set(parsed.issues.map((issue) => v.getDotPath(issue) ?? 'the message'));
  return {
    kind: 'malformed',
    reason: `Not a start of all exports: ${[...places].join(', ')} is missing, unknown or wrong. Expected {"v":1,"scheduledTime":"2026-01-01T00:00:00Z"}, optionally with windowMinutes, except, after and only.`,
  };
}
