import * as v from 'valibot';
import { wholeNumber } from '../../lib/number-range.ts';
import { cronProblem } from './cron-expression.ts';

/** When the exports of a connection start automatically. */
export interface ScheduleSettings {
  /** `rate(…)` such as `rate(6 hours)`, or `cron(…)` with EventBridge's six fields. */
  readonly expression: string;
  /** IANA name of the time zone of `cron(…)`; not for `rate(…)`. @default 'Etc/UTC' */
  readonly timezone?: string;
  /** Starts are delayed by up to this, 1 to 1440 minutes. @default - no delay */
  readonly flexibleWindowMinutes?: number;
  /** @default true */
  readonly enabled?: boolean;
  /** No start before, ISO 8601 with a time zone such as `2026-01-01T00:00:00Z`. One that is over is left out. @default - immediately */
  readonly start?: string;
  /** No start after, a time later than `start`. One that is over switches the schedule off. @default - no end */
  readonly end?: string;
}

/** The connection has no schedule, even if there is one for all connections. */
export interface NoSchedule {
  readonly enabled: false;
}

export type GivenSchedule = string | ScheduleSettings | NoSchedule;

/** `MaximumWindowInMinutes` of EventBridge Scheduler. */
export const MAX_WINDOW_MINUTES = 1440;
const TIME_EXPECTED = 'expected a time with its zone such as 2026-01-01T00:00:00Z';

const ExpressionSchema = v.pipe(
  v.string('expected rate(…) or cron(…), such as cron(0 3 * * ? *)'),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? expressionProblem(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  }),
);

const TimezoneSchema = v.pipe(
  v.string('expected the IANA name of a time zone such as Europe/Berlin'),
  v.rawCheck(({ dataset, addIssue }) => {
    const message = dataset.typed ? timezoneProblem(dataset.value) : undefined;
    if (message !== undefined) addIssue({ message });
  }),
);

const TimeSchema = v.pipe(
  v.string(TIME_EXPECTED),
  v.regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/, TIME_EXPECTED),
  v.check((text) => !Number.isNaN(Date.parse(text)) && isDay(text.slice(0, 10)), TIME_EXPECTED),
);

const ObjectSchema = v.pipe(
  v.strictObject({
    expression: ExpressionSchema,
    timezone: v.exactOptional(TimezoneSchema),
    flexibleWindowMinutes: v.exactOptional(wholeNumber(1, MAX_WINDOW_MINUTES, 'minutes')),
    enabled: v.exactOptional(v.boolean('expected true or false')),
    start: v.exactOptional(TimeSchema),
    end: v.exactOptional(TimeSchema),
  }),
  v.forward(
    v.check(
      ({ expression, timezone }) => timezone === undefined || expression.startsWith('cron'),
      'a rate has no time of day: leave the time zone out, or use cron(…)',
    ),
    ['timezone'],
  ),
  v.forward(
    v.check(
      ({ start, end }) =>
        start === undefined || end === undefined || Date.parse(start) < Date.parse(end),
      'expected a time later than start',
    ),
    ['end'],
  ),
);

/** Whether the calendar has the day. JavaScript takes 2026-02-30 for the second of March. */
function isDay(text: string): boolean {
  const atMs = Date.parse(text);
  return !Number.isNaN(atMs) && new Date(atMs).toISOString().startsWith(text);
}

/** A schedule: the expression alone, {@link ScheduleSettings} or {@link NoSchedule}. */
export const ScheduleSchema: v.GenericSchema<unknown, GivenSchedule> = v.lazy((input) => {
  if (typeof input === 'string') return ExpressionSchema;
  return isNoSchedule(input) ? v.strictObject({ enabled: v.literal(false) }) : ObjectSchema;
});

/** Whether the connection has no schedule at all, not a disabled one. */
export function isNoSchedule(given: unknown): given is NoSchedule {
  return (
    typeof given === 'object' &&
    given !== null &&
    'enabled' in given &&
    given.enabled === false &&
    !('expression' in given) &&
    !('schedule' in given)
  );
}

/** What is wrong with `rate(…)` or `cron(…)`; `undefined` when EventBridge accepts it. */
export function expressionProblem(expression: string): string | undefined {
  const [, kind, inside = ''] = /^(rate|cron)\(([^()]+)\)$/.exec(expression) ?? [];
  // Any other text may be the key in the wrong place.
  const isMeant = /^(rate|cron|at)\b/i.test(expression);
  const got = `got ${isMeant ? JSON.stringify(expression) : 'other text'}`;
  if (kind === undefined) {
    return `expected rate(…) or cron(…), such as rate(6 hours) or cron(0 3 * * ? *), ${got}`;
  }
  if (kind === 'cron') {
    const problem = cronProblem(inside.trim());
    return problem === undefined ? undefined : `${problem}, ${got}`;
  }
  const [, value, plural] = /^([1-9]\d{0,5}) (?:minute|hour|day)(s?)$/.exec(inside) ?? [];
  const isRate = value !== undefined && (value === '1') === (plural === '');
  if (isRate) return undefined;
  return `expected a whole number and minute, hour or day, with an s unless the number is 1, such as rate(1 day) or rate(6 hours), ${got}`;
}

function timezoneProblem(name: string): string | undefined {
  const expected = 'expected the IANA name of a time zone such as Europe/Berlin';
  const known = knownTimezone(name);
  if (known === undefined || /^[+-]/.test(name)) {
    const isWords = /^[a-z_/+-]{1,40}$/i.test(name);
    return `${expected}, got ${isWords ? JSON.stringify(name) : 'other text'}`;
  }
  // Intl ignores case and EventBridge does not. A completely different name is an alias.
  const isMisspelt = known !== name && known.toLowerCase() === name.toLowerCase();
  return isMisspelt
    ? `expected ${known}, with these capitals, got ${JSON.stringify(name)}`
    : undefined;
}

function knownTimezone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}
