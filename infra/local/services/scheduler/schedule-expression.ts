import { Cron } from 'croner';
import { SettingError } from '../../../../lib/errors.ts';

export type ScheduleExpression =
  | { readonly kind: 'rate'; readonly periodMs: number }
  | { readonly kind: 'calendar'; readonly cron: Cron };

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/**
 * Reads `rate(…)` or `cron(…)` with EventBridge's six fields (EventBridge Scheduler user guide,
 * "Schedule types").
 *
 * @param timeZone IANA name; `cron` is local time there.
 * @throws SettingError with `setting` = `place`, naming the expression.
 */
export function parseScheduleExpression(
  expression: string,
  timeZone: string,
  place: string,
): ScheduleExpression {
  const [, kind = '', inner = ''] = /^(rate|cron)\((.*)\)$/.exec(expression) ?? [];
  try {
    if (kind === 'rate') return rate(inner);
    if (kind === 'cron') {
      return { kind: 'calendar', cron: new Cron(cronPattern(inner), cronOptions(timeZone)) };
    }
  } catch {
    // The message below says what was expected.
  }
  throw new SettingError(
    place,
    `${expression} (${timeZone}) is no schedule; expected rate(5 minutes) or cron(0 12 ? * MON-FRI *), ` +
      'and an IANA time zone',
  );
}

/**
 * The first time after `afterMs`, in Unix milliseconds; `undefined` when there is none.
 *
 * @param startMs A rate counts its periods from here and fires here first.
 */
export function nextTimeMs(
  expression: ScheduleExpression,
  afterMs: number,
  startMs: number,
): number | undefined {
  if (expression.kind === 'calendar') {
    return expression.cron.nextRun(new Date(Math.max(afterMs, startMs - 1)))?.getTime();
  }
  if (afterMs < startMs) return startMs;
  const periods = Math.floor((afterMs - startMs) / expression.periodMs) + 1;
  return startMs + periods * expression.periodMs;
}

function rate(inner: string): ScheduleExpression {
  const [, value = '', unit = '', plural] = /^([1-9]\d*) (minute|hour|day)(s?)$/.exec(inner) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined || (value === '1') === (plural === 's')) throw new RangeError(inner);
  return { kind: 'rate', periodMs: Number(value) * unitMs };
}

function cronOptions(timezone: string) {
  // In EventBridge Sunday is 1, as in Quartz.
  return { timezone, paused: true, mode: '7-part', alternativeWeekdays: true } as const;
}

// Last value of minutes, hours, days, months, weekdays, years.
const LAST_VALUES = [59, 23, 31, 12, 7, 2199] as const;

/** EventBridge's fields in croner's dialect, with a field for seconds in front. */
function cronPattern(inner: string): string {
  const fields = inner.trim().split(/\s+/);
  const [, , dayOfMonth, , dayOfWeek] = fields;
  const oneDayIsOpen = (dayOfMonth === '?') !== (dayOfWeek === '?');
  if (fields.length !== LAST_VALUES.length || !oneDayIsOpen) throw new RangeError(inner);
  return [
    '0',
    ...fields.map((field, index) => cronField(field, LAST_VALUES[index] ?? 0, index)),
  ].join(' ');
}

function cronField(field: string, last: number, index: number): string {
  if (field === '?') return '*';
  // A lone L of the weekdays is Saturday.
  if (index === 4 && field === 'L') return '7';
  return field
    .split(',')
    .map((part) => part.replace(/^([^/*-]+)\//, `$1-${last}/`))
    .join(',');
}
