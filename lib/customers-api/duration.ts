const NUMBER = '(\\d+(?:\\.\\d+)?)';
/** In front, as in `delay=PT1M`. */
const WORDS = '(?:[a-z]+[ =:]+)*';
const DAY_SECONDS = 86_400;
const WEEK_SECONDS = 7 * DAY_SECONDS;
const MONTH_SECONDS = 31 * DAY_SECONDS;
const YEAR_SECONDS = 366 * DAY_SECONDS;
const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;
const MS_SECONDS = 0.001;

interface Form {
  readonly pattern: RegExp;
  /** Seconds of each group's unit. */
  readonly unitSeconds: readonly number[];
}

/** ISO 8601 durations. Of years and months the longest. */
const ISO_8601: Form = {
  pattern: new RegExp(
    `^${WORDS}P(?:${NUMBER}Y)?(?:${NUMBER}M)?(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
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
  pattern: new RegExp(`^${WORDS}(?:(\\d+)\\.)?(\\d+):(\\d{2})(?::(\\d{2}(?:\\.\\d+)?))?$`, 'i'),
  unitSeconds: [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1],
};

/** Reads an ISO 8601 duration, or one as clocks show it. @returns Seconds; `undefined` for anything else. */
export function parseDuration(text: string): number | undefined {
  return sumOf(ISO_8601, text) ?? sumOf(AS_CLOCK, text);
}

/** Names of units in English, and their short forms. */
const UNITS: readonly (readonly [RegExp, number])[] = [
  [/^m(?:illi)?s(?:ec(?:ond)?s?)?$/, MS_SECONDS],
  [/^s(?:ec(?:ond)?s?)?$/, 1],
  [/^m(?:in(?:ute)?s?)?$/, MINUTE_SECONDS],
  [/^h(?:(?:ou)?rs?)?$/, HOUR_SECONDS],
  [/^d(?:ays?)?$/, DAY_SECONDS],
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

/** A decimal number with sign, fraction or exponent, as seconds; `undefined` for anything else. */
export function decimalOf(text: string, unitSeconds: number): number | undefined {
  if (/^\+?inf(?:inity)?$/i.test(text)) return Number.POSITIVE_INFINITY;
  const isDecimal = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
  return isDecimal ? Number(text) * unitSeconds : undefined;
}

function sumOf({ pattern, unitSeconds }: Form, text: string): number | undefined {
  const groups = pattern.exec(text)?.slice(1);
  if (groups?.some((group) => group !== undefined) !== true) return undefined;
  return groups.reduce(
    (sum, group, index) => sum + Number(group ?? 0) * (unitSeconds[index] ?? 0),
    0,
  );
}
