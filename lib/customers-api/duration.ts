const NUMBER = '(\\d+(?:\\.\\d+)?)';
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const MONTH_SECONDS = 31 * DAY_SECONDS;
const YEAR_SECONDS = 366 * DAY_SECONDS;
const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;
const MS_SECONDS = 0.001;

/** Names of units in English, and their short forms. */
const DAYS = 'd(?:ays?)?';
const HOURS = 'h(?:(?:ou)?rs?)?';
const MINUTES = 'm(?:in(?:ute)?s?)?';
const SECONDS = 's(?:ec(?:ond)?s?)?';
const MILLISECONDS = 'm(?:illi)?s(?:ec(?:ond)?s?)?';

interface Form {
  readonly pattern: RegExp;
  /** Seconds of each group's unit. */
  readonly unitSeconds: readonly number[];
}

/** Largest unit first, each once at most: `3s`, `3 s`, `500ms`, `1m30s`, `2 hours`. */
const WITH_UNITS: Form = {
  pattern: new RegExp(
    `^${[DAYS, HOURS, MINUTES, SECONDS, MILLISECONDS].map((unit) => `(?:${NUMBER} ?${unit})?`).join(' ?')}$`,
    'i',
  ),
  unitSeconds: [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1, MS_SECONDS],
};

/** ISO 8601 durations. Of years and months the longest. */
const ISO_8601: Form = {
  pattern: new RegExp(
    `^P(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
    'i',
  ),
  unitSeconds: [
    YEAR_SECONDS,
    MONTH_SECONDS,
    WEEK_SECONDS,
    DAY_SECONDS,
    HOUR_SECONDS,
    MINUTE_SECONDS,
    1,
  ],
};

/** As clocks and .NET show one: `00:20:00`, `1.02:03:04`. `20:00` is taken for hours, the longer of two meanings. */
const AS_CLOCK: Form = {
  pattern: /^(?:(\d+)\.)?(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?$/,
  unitSeconds: [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1],
};

/**
 * Reads a length of time: a decimal number, a number with units, an ISO 8601 duration, or as clocks show one.
 *
 * @param plainUnitSeconds What a number without a unit counts.
 * @returns Seconds, perhaps a fraction, 0, negative or infinite; `undefined` for anything else.
 */
export function parseDuration(text: string, plainUnitSeconds: number): number | undefined {
  const number = decimalOf(text);
  if (number !== undefined) return number * plainUnitSeconds;
  return sumOf(WITH_UNITS, text) ?? sumOf(ISO_8601, text) ?? sumOf(AS_CLOCK, text);
}

const UNITS: readonly (readonly [RegExp, number])[] = [
  [new RegExp(`^${MILLISECONDS}$`), MS_SECONDS],
  [new RegExp(`^${SECONDS}$`), 1],
  [new RegExp(`^${MINUTES}$`), MINUTE_SECONDS],
  [new RegExp(`^${HOURS}$`), HOUR_SECONDS],
  [new RegExp(`^${DAYS}$`), DAY_SECONDS],
  [/^w(?:(?:ee)?ks?)?$/, WEEK_SECONDS],
  [/^mo(?:nth)?s?$/, MONTH_SECONDS],
  [/^y(?:(?:ea)?rs?)?$/, YEAR_SECONDS],
];

/**
 * Reads numbers wherever they stand in a text, as a person does: `1200 seconds.`, `in 5 more minutes`, `wait=30`. Of
 * numbers with the same unit the largest counts, those with different ones add up.
 *
 * @param plainUnitSeconds What a number counts that no unit follows.
 * @returns Seconds, or `undefined` for a text without a digit.
 */
export function durationIn(text: string, plainUnitSeconds: number): number | undefined {
  const byUnit = new Map<number, number>();
  for (const [, digits = '', behind = ''] of text.matchAll(SOME_NUMBER)) {
    const unit = unitIn(behind) ?? plainUnitSeconds;
    byUnit.set(unit, Math.max(byUnit.get(unit) ?? 0, Number(digits)));
  }
  if (byUnit.size === 0) return undefined;
  return [...byUnit].reduce((sum, [unit, number]) => sum + unit * number, 0);
}

/** And what stands before the next one. */
const SOME_NUMBER = /(0x[\da-f]+|\d+(?:\.\d+)?(?:e[+-]?\d+)?)(\D*)/gi;

function unitIn(text: string): number | undefined {
  // Not the name of a parameter, as in `w=60`.
  const words = text.toLowerCase().match(/(?<![a-z])[a-z]+(?![a-z]| ?[=:])/g) ?? [];
  const units = words.flatMap((word) => UNITS.filter(([pattern]) => pattern.test(word)));
  return units[0]?.[1];
}

/** A decimal number with sign, fraction or exponent; `undefined` for anything else. */
export function decimalOf(text: string): number | undefined {
  if (/^\+?inf(?:inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  return /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
}

function sumOf({ pattern, unitSeconds }: Form, text: string): number | undefined {
  const groups = pattern.exec(text)?.slice(1);
  if (groups?.some((group) => group !== undefined) !== true) return undefined;
  return groups.reduce(
    (sum, group, index) => sum + Number(group ?? 0) * (unitSeconds[index] ?? 0),
    0,
  );
}
