const NUMBER = '(\\d+(?:\\.\\d+)?)';
const DAY_SECONDS = 86_400;
const HOUR_SECONDS = 3_600;
const MINUTE_SECONDS = 60;
const MS_SECONDS = 0.001;

interface Form {
  readonly pattern: RegExp;
  /** Seconds of each group's unit. */
  readonly unitSeconds: readonly number[];
}

/** Largest unit first, each once at most: `3s`, `3 s`, `500ms`, `1m30s`, `2 hours`. */
const WITH_UNITS: Form = {
  pattern: new RegExp(
    `^(?:${NUMBER} ?d(?:ays?)?)? ?(?:${NUMBER} ?h(?:(?:ou)?rs?)?)? ?(?:${NUMBER} ?m(?:in(?:ute)?s?)?)? ?(?:${NUMBER} ?s(?:ec(?:ond)?s?)?)? ?(?:${NUMBER} ?m(?:illi)?s(?:ec(?:ond)?s?)?)?$`,
    'i',
  ),
  unitSeconds: [DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1, MS_SECONDS],
};

/** ISO 8601 durations but for years and months, whose length is not fixed. */
const ISO_8601: Form = {
  pattern: new RegExp(
    `^P(?:${NUMBER}W)?(?:${NUMBER}D)?(?:T(?:${NUMBER}H)?(?:${NUMBER}M)?(?:${NUMBER}S)?)?$`,
    'i',
  ),
  unitSeconds: [7 * DAY_SECONDS, DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS, 1],
};

/**
 * Reads a length of time: a decimal number, a number with units, or an ISO 8601 duration.
 *
 * @param plainUnitSeconds What a number without a unit counts.
 * @returns Seconds, perhaps a fraction, 0, negative or infinite; `undefined` for anything else.
 */
export function parseDuration(text: string, plainUnitSeconds: number): number | undefined {
  const number = decimalOf(text);
  if (number !== undefined) return number * plainUnitSeconds;
  return sumOf(WITH_UNITS, text) ?? sumOf(ISO_8601, text);
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
