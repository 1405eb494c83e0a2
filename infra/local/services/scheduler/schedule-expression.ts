import { Cron } from 'croner';
import { SettingError } from '../../../../lib/errors.ts';
import { expressionProblem } from '../../../settings/schedule-settings.ts';

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
  const [kind, inside = ''] = expression.split(/[()]/);
  try {
    if (expressionProblem(expression) === undefined) {
      if (kind === 'rate') return { kind: 'rate', periodMs: periodMs(inside) };
      return { kind: 'calendar', cron: new Cron(cronPattern(inside), cronOptions(timeZone)) };
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

function periodMs(rate: string): number {
  const [value, units = ''] = rate.split(' ');
  return Number(value) * (UNIT_MS[units.replace(/s$/, '')] ?? Number.NaN);
}

function cronOptions(timezone: string) {
  // In EventBridge Sunday is 1, as in Quartz.
  return { timezone, paused: true, mode: '7-part', alternativeWeekdays: true } as const;
}

// Last value of minutes, hours, days, months, weekdays, years.
const LAST_VALUES = [59, 23, 31, 12, 7, 2199] as const;

/** EventBridge's fields in croner's dialect, with a field for seconds in front. */
function cronPattern(inside: string): string {
  const fields = inside
    .trim()
    .split(/\s+/)
    .map((field, index) => cronField(field, LAST_VALUES[index] ?? 0, index));
  return ['0', ...fields].join(' ');
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
