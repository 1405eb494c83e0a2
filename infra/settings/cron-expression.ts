/** One of the six fields of `cron(…)` in EventBridge (EventBridge Scheduler user guide, "Schedule types"). */
interface CronField {
  readonly name: string;
  readonly least: number;
  readonly most: number;
  /** Names of the values, the first one for `least`. */
  readonly names: readonly string[];
  /** Values that may only stand alone, not in a list. */
  readonly alone?: RegExp;
  readonly hasSteps: boolean;
  readonly example: string;
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');
const NO_NAMES: readonly string[] = [];

const FIELDS: readonly CronField[] = [
  { name: 'minutes', least: 0, most: 59, names: NO_NAMES, hasSteps: true, example: '0 or 0/15' },
  { name: 'hours', least: 0, most: 23, names: NO_NAMES, hasSteps: true, example: '3 or 8-18' },
  {
    name: 'day of month',
    least: 1,
    most: 31,
    names: NO_NAMES,
    alone: /^(?:\?|L|(?:[1-9]|[12]\d|3[01])W)$/,
    hasSteps: true,
    example: '?, 1, 1,15 or L',
  },
  { name: 'month', least: 1, most: 12, names: MONTHS, hasSteps: true, example: '*, 6 or JAN-MAR' },
  {
    name: 'day of week',
    least: 1,
    most: 7,
    names: WEEKDAYS,
    alone: /^(?:\?|L|(?:[1-7]|SUN|MON|TUE|WED|THU|FRI|SAT)(?:L|#[1-5]))$/,
    hasSteps: false,
    example: '?, MON-FRI, 2 (Monday), 6L or 3#2',
  },
  { name: 'year', least: 1970, most: 2199, names: NO_NAMES, hasSteps: true, example: '*' },
];

/**
 * Checks the inside of `cron(…)`.
 *
 * @returns A sentence without a full stop, or `undefined` when EventBridge accepts it.
 */
export function cronProblem(inside: string): string | undefined {
  const fields = inside.split(/\s+/);
  if (fields.length !== FIELDS.length) {
    return `expected six fields (${FIELDS.map(({ name }) => name).join(', ')}), got ${fields.length}`;
  }
  for (const [index, field] of FIELDS.entries()) {
    const text = fields[index] ?? '';
    if (!isFieldValue(text, field)) {
      return `the ${field.name} cannot be ${JSON.stringify(text)}; expected ${field.least} to ${field.most}, such as ${field.example}`;
    }
  }
  const [, , dayOfMonth, , dayOfWeek] = fields;
  return (dayOfMonth === '?') === (dayOfWeek === '?')
    ? 'expected ? in one of day of month and day of week, and a value or * in the other'
    : undefined;
}

function isFieldValue(text: string, field: CronField): boolean {
  const upper = text.toUpperCase();
  return field.alone?.test(upper) || upper.split(',').every((part) => isPart(part, field));
}

/** `*`, a value or a range, each with or without a step. */
function isPart(part: string, field: CronField): boolean {
  const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  if (step !== undefined && !(field.hasSteps && isStep(Number(step), field))) return false;
  if (range === '*') return true;
  const [from, to, ...more] = range.split('-').map((text) => fieldValueOf(text, field));
  if (from === undefined || more.length > 0) return false;
  return range.includes('-') ? to !== undefined && from <= to : true;
}

function isStep(step: number, { most }: CronField): boolean {
  return step >= 1 && step <= most;
}

function fieldValueOf(text: string, { least, most, names }: CronField): number | undefined {
  const named = names.indexOf(text);
  const value = named >= 0 ? named + least : /^\d{1,4}$/.test(text) ? Number(text) : undefined;
  return value !== undefined && value >= least && value <= most ? value : undefined;
}
