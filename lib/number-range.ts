import * as v from 'valibot';
import { SettingError } from './errors.ts';

/** Whole numbers, or fractions too. */
export type NumberRange = readonly [least: number, most: number, of?: 'fractions'];

/**
 * Checks a setting that is a number; `undefined` passes.
 *
 * @param written The text as written, for the message.
 * @throws SettingError naming the setting.
 */
export function checkRange(
  name: string,
  value: number | undefined,
  range: NumberRange,
  written: string,
): void {
  if (value === undefined || isIn(value, range)) return;
  throw new SettingError(name, `${expectedIn(range)}, got ${written}`);
}

function isIn(value: number, [least, most, of]: NumberRange): boolean {
  return value >= least && value <= most && (of === 'fractions' || Number.isInteger(value));
}

function expectedIn([least, most, of]: NumberRange): string {
  return `expected ${of === 'fractions' ? 'a number' : 'a whole number'} from ${least} to ${most}`;
}

/** A number in a range. The message tells the one that was given. */
export function numberIn(range: NumberRange) {
  const expected = expectedIn(range);
  return v.pipe(
    v.number(),
    v.check(
      (value) => isIn(value, range),
      ({ input }) => `${expected}, got ${input}`,
    ),
  );
}

/** @param of What is counted, for the message, such as `seconds`. */
export function wholeNumber(least: number, most: number, of?: string) {
  const counted = of === undefined ? '' : ` of ${of}`;
  const expected = `expected a whole number${counted} from ${least} to ${most}`;
  return v.pipe(
    v.number(expected),
    v.integer(expected),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  );
}
