/** A number is `digits` times ten to the `exponent`; `digits` neither begin nor end with a zero. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** Whether two JSON numbers have the same value, such as 12.50 and 1.25e1, whatever digits they have. */
export function isSameNumber(one: string, other: string): boolean {
  const a = decimalOf(one);
  const b = decimalOf(other);
  if (a === undefined || b === undefined) return false;
  if (a.digits !== b.digits) return false;
  return a.digits === '' || (a.isNegative === b.isNegative && a.exponent === b.exponent);
}

/** A double keeps any decimal of so many digits (IEEE 754 binary64, C's DBL_DIG). */
export const DOUBLE_DIGITS = 15;
/** Less than the 1e±308 at which doubles end, by the digits before the point. */
const DOUBLE_EXPONENT = 290;

/** Whether a JSON number surely keeps its value where numbers are doubles, as in most programs. */
export function isKeptByDoubles(text: string): boolean {
  const decimal = decimalOf(text);
  if (decimal === undefined) return false;
  const { digits, exponent } = decimal;
  if (digits === '' || (exponent >= 0 && Number.isSafeInteger(Number(text)))) return true;
  return digits.length <= DOUBLE_DIGITS && Math.abs(exponent) <= DOUBLE_EXPONENT;
}

/**
 * Whether JavaScript has a number that prints with the same value again. Of whole numbers written with digits alone
 * only those up to 2^53 - 1: they may be ids, and beyond that a neighbour can be the same number.
 */
export function isHeldByNumber(text: string): boolean {
  const value = Number(text);
  return /[.e]/i.test(text) ? isSameNumber(text, String(value)) : Number.isSafeInteger(value);
}

/** `undefined` for an exponent beyond all reason too. */
function decimalOf(text: string): Decimal | undefined {
  const parts = partsOf(text);
  if (parts === undefined) return undefined;
  const { isNegative, whole, fraction = '', power = '0' } = parts;
  const all = whole + fraction;
  let [begin, end] = [0, all.length];
  while (all[end - 1] === '0') end--;
  while (begin < end && all[begin] === '0') begin++;
  const exponent = Number(power) - fraction.length + (all.length - end);
  if (!Number.isSafeInteger(exponent)) return undefined;
  return { isNegative, digits: all.slice(begin, end), exponent };
}

/** RFC 8259 section 6. */
interface NumberParts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string | undefined;
  readonly power: string | undefined;
}

/**
 * Not by one pattern: a number may have millions of digits, for each of which V8 keeps where to go back to, and ends the
 * match when that is full.
 */
function partsOf(text: string): NumberParts | undefined {
  const [mantissa = '', power, ...more] = text.split(/e/i, 3);
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction, ...others] = mantissa.slice(isNegative ? 1 : 0).split('.', 3);
  const areDigits = [whole, fraction, power?.replace(/^[-+]/, '')].every(
    (digits) => digits === undefined || (digits !== '' && !/\D/.test(digits)),
  );
  const hasZeroInFront = whole.startsWith('0') && whole !== '0';
  if (!areDigits || hasZeroInFront || more.length > 0 || others.length > 0) return undefined;
  return { isNegative, whole, fraction, power };
}

export const isJsonNumber = (text: string): boolean => partsOf(text) !== undefined;
