import * as v from 'valibot';
import { parseOptions, parseSetting } from '../../lib/customers-api/parse-options.ts';
import { groupBy } from '../../lib/group-by.ts';
import { isJsonObject } from '../../lib/json/json-value.ts';
import type { RequestLogEntry } from './request-log.ts';

/** What a log proves; requests are named by their `n`. */
export interface LogCheck {
  readonly requests: number;
  /** Answers that asked to wait. */
  readonly throttled: number;
  /** Requests that started before an asked wait was over. */
  readonly earlyRequests: readonly number[];
  /** Requests with a key that had been answered 401 before. */
  readonly requestsAfterAuthenticationFailure: readonly number[];
  /** Requests whose write took effect although the same logical write had done so before. */
  readonly doubleEffects: readonly number[];
  /** Most requests under way at once with one key. */
  readonly maxConcurrent: number;
}

/** How long an answer travels to a client that is busy sending; the shortest wait is 20 times as long. */
export const FLIGHT_MS = 50;

export interface LogCheckOptions {
  /**
   * How long an answer travels, ms: a request on another connection that arrives sooner after an answer
   * was on its way already. So was one that may have arrived sooner, since the simulator was busy and read it late (`unreadMs`).
   * Needed only for clients with several requests in flight. @default 0
   */
  readonly flightMs?: number;
}

const flightExpected = 'expected milliseconds, 0 or more';
const OptionsSchema = v.strictObject({
  flightMs: v.optional(
    v.pipe(v.number(flightExpected), v.minValue(0, flightExpected), v.finite(flightExpected)),
    0,
  ),
} satisfies { readonly [K in keyof LogCheckOptions]-?: v.GenericSchema });

const EntriesSchema = v.custom<readonly RequestLogEntry[]>(
  (given) => Array.isArray(given) && given.every(isEntry),
  'expected entries of a log, such as simulator.log.entries',
);

function isEntry(given: unknown): boolean {
  if (!isJsonObject(given)) return false;
  const { n, at, keyId } = given;
  return typeof n === 'number' && typeof at === 'number' && typeof keyId === 'string';
}

/** Looks for what a client must never do. Pure; takes entries of any number of keys, in order of `n`. @throws SettingError */
export function checkLog(
  entries: readonly RequestLogEntry[],
  options: LogCheckOptions = {},
): LogCheck {
  const { flightMs } = parseOptions(OptionsSchema, options, 'options');
  parseSetting(EntriesSchema, entries, 'entries');
  const early: number[] = [];
  const afterFailure: number[] = [];
  const concurrency: number[] = [0];
  for (const ofKey of groupBy(entries, ({ keyId }) => keyId).values()) {
    early.push(...earlyOf(ofKey, flightMs));
    afterFailure.push(...afterAuthenticationFailure(ofKey, flightMs));
    concurrency.push(mostConcurrent(ofKey));
  }
  return {
    requests: entries.length,
    throttled: entries.filter(({ notBefore }) => notBefore !== undefined).length,
    earlyRequests: early.sort(ascending),
    requestsAfterAuthenticationFailure: afterFailure.sort(ascending),
    doubleEffects: doublesOf(entries),
    maxConcurrent: Math.max(...concurrency),
  };
}

function earlyOf(entries: readonly RequestLogEntry[], flightMs: number): number[] {
  const throttles = entries.filter(({ notBefore }) => notBefore !== undefined);
  // Waits overlap only as long as they last, so a sliding window keeps long logs fast.
  let firstOpen = 0;
  return entries.flatMap((entry) => {
    while ((throttles[firstOpen]?.notBefore ?? Number.POSITIVE_INFINITY) <= entry.at)
      firstOpen += 1;
    for (let index = firstOpen; index < throttles.length; index += 1) {
      const throttle = throttles[index];
      if (throttle === undefined || throttle.n >= entry.n) break;
      const open = entry.at < (throttle.notBefore ?? 0);
      if (open && couldKnow(entry, throttle, flightMs)) return [entry.n];
    }
    return [];
  });
}

function afterAuthenticationFailure(
  entries: readonly RequestLogEntry[],
  flightMs: number,
): number[] {
  const failure = entries.find(({ status, keyId }) => status === 401 && keyId !== 'none');
  if (failure === undefined) return [];
  return entries.filter((entry) => couldKnow(entry, failure, flightMs)).map(({ n }) => n);
}

/** Whether a request started after an answer had been given; those under way at that time did not know. */
function couldKnow(entry: RequestLogEntry, answer: RequestLogEntry, flightMs: number): boolean {
  if (answer.answeredAt === undefined || answer.answeredAfter === undefined) return false;
  if (entry.n <= answer.answeredAfter) return false;
  // On the same connection a request follows the answer before it; on another one they may cross.
  const isNext = entry.connection === answer.connection;
  // Read late, it may have been there when the answer was given.
  const cameAt = entry.at - (entry.unreadMs ?? 0);
  return isNext || cameAt >= answer.answeredAt + flightMs;
}

function doublesOf(entries: readonly RequestLogEntry[]): readonly number[] {
  const seen = new Set<string>();
  return entries.flatMap(({ n, keyId, effect }) => {
    if (effect === undefined) return [];
    // One organization's keys are `name/1`, `name/2`: a write repeated with its newer key is a double too.
    const organization = keyId.slice(0, keyId.lastIndexOf('/'));
    const marks = [
      ...(effect.idempotencyKey === undefined ? [] : [`key ${effect.idempotencyKey}`]),
      ...(effect.reference === undefined ? [] : [`reference ${effect.reference}`]),
    ].map((mark) => `${organization} ${effect.resource} ${mark}`);
    const double = marks.some((mark) => seen.has(mark));
    for (const mark of marks) seen.add(mark);
    return double ? [n] : [];
  });
}

/** By order of arrival, not by time: many requests fit into one millisecond. */
function mostConcurrent(entries: readonly RequestLogEntry[]): number {
  const ends = entries.map(({ answeredAfter }) => answeredAfter ?? Number.POSITIVE_INFINITY);
  const endsInOrder = ends.toSorted(ascending);
  let ended = 0;
  return entries.reduce((most, { n }, index) => {
    while ((endsInOrder[ended] ?? n) < n) ended += 1;
    return Math.max(most, index + 1 - ended);
  }, 0);
}

function ascending(a: number, b: number): number {
  return a - b;
}
