import * as v from 'valibot';
import { defined } from '../../lib/defined.ts';
import type { FanOut, FanOutReport } from '../../lib/exports/start-all.ts';
import { ConnectionNameSchema, ListNameSchema } from '../../lib/names.ts';
import type { ParsedBody } from './message.ts';
import { wrongPlaces } from './wrong-places.ts';

const names = v.array(ConnectionNameSchema);

const FanOutSchema = v.strictObject({
  v: v.literal(1),
  /** ISO 8601, as EventBridge Scheduler gives it; the same however often it delivers. */
  scheduledTime: v.pipe(v.string(), v.isoTimestamp()),
  /** Of which exports are started. @default customers */
  list: v.exactOptional(ListNameSchema),
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

/** The scheduler delivers at the time that it names, or later. Until a time far ahead a message would go round and round. */
const MAX_AHEAD_MS = 24 * 3_600_000;

/** Reads the body of a message. The reason names what is wrong, and no value of the message. */
export function parseFanOutMessage(body: string): ParsedBody<FanOutMessage> {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), FanOutSchema), body);
  if (parsed.success) return { kind: 'value', value: parsed.output };
  return { kind: 'malformed', reason: noFanOut(wrongPlaces(parsed.issues, 'the message')) };
}

/** Why no start waits for the time of a message; `undefined` for one that is over or soon comes. */
export function tooFarAhead({ scheduledTime }: FanOutMessage, nowMs: number): string | undefined {
  const isNear = Date.parse(scheduledTime) <= nowMs + MAX_AHEAD_MS;
  return isNear ? undefined : noFanOut('scheduledTime');
}

function noFanOut(places: string): string {
  return `Not a start of all exports: ${places} is missing, unknown or wrong. Expected {"v":1,"scheduledTime":"2026-01-01T00:00:00Z"}, which is over or less than a day ahead, optionally with list, windowMinutes, except, after and only.`;
}

/** What a message asks for. Starts that failed are tried again at once, not spread. */
export function fanOutOf({ scheduledTime, windowMinutes = 0, after, only }: FanOutMessage): FanOut {
  const windowMs = only === undefined ? windowMinutes * 60_000 : 0;
  return { scheduledAtMs: Date.parse(scheduledTime), windowMs, ...defined({ after }) };
}

/** A message of so many names takes 7 KB at most, so below the 64 KB that are billed as one. */
const NAMES_A_MESSAGE = 100;

/**
 * What goes on in messages of its own after a fan-out came to this report.
 *
 * @returns `undefined` when the message itself has to come back: its starts have had their second chance, or the time
 * did not suffice for one. So SQS repeats it, and puts it aside at last.
 */
export function fanOutRest(
  message: FanOutMessage,
  { failed, rest }: Pick<FanOutReport, 'failed' | 'rest'>,
): readonly { readonly message: FanOutMessage; readonly dueAtMs?: number }[] | undefined {
  const { v, scheduledTime, list, only } = message;
  if (only !== undefined && (failed.length > 0 || rest !== undefined)) return undefined;
  const names = failed.map(({ connection }) => connection);
  const again = Array.from({ length: Math.ceil(names.length / NAMES_A_MESSAGE) }, (_, index) => {
    const from = index * NAMES_A_MESSAGE;
    const some = names.slice(from, from + NAMES_A_MESSAGE);
    return { message: { v, scheduledTime, ...defined({ list }), only: some } };
  });
  if (rest === undefined) return again;
  const { after, dueAtMs } = rest;
  if (dueAtMs === undefined) return undefined;
  return [...again, { message: { ...message, ...defined({ after }) }, dueAtMs }];
}
