/** A number is `digits` times ten to the `exponent`; `digits` neither begin nor end with a zero. */
interface Decimal {
  readonly isNegative: boolean;
  readonly digits: string;
  readonly exponent: number;
}

/** RFC 8259 section 6. */
const NUMBER = /^(-?)(0|[1-9]\d*)(?:\.(\d+))?(?:e([+-]?\d+))?$/i;

/** Whether two JSON numbers have the same value, such as 12.50 and 1.25e1, whatever digits they have. */
export function isSameNumber(one: string, other: string): boolean {
  const a = decimalOf(one);
  const b = decimalOf(other);
  if (a === undefined || b === undefined) return false;
  if (a.digits !== b.digits) return false;
  return a.digits === '' || (a.isNegative === b.isNegative && a.exponent === b.exponent);
}

/** A double keeps any decimal of so many digits (IEEE 754 binary64, C's DBL_DIG). */
const DOUBLE_DIGITS = 15;
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
  return /^-?\d+$/.test(text) ? Number.isSafeInteger(value) : isSameNumber(text, String(value));
}

/** `undefined` for what is no JSON number, or has an exponent beyond all reason. */
function decimalOf(text: string): Decimal | undefined {
  const parts = NUMBER.exec(text);
  if (parts === null) return undefined;
  const [, sign, whole = '', fraction = '', power = '0'] = parts;
  const all = whole + fraction;
  let end = all.length;
  while (all[end - 1] === '0') end--;
  const digits = all.slice(0, end).replace(/^0+/, '');
  const exponent = Number(power) - fraction.length + (all.length - end);
  if (!Number.isSafeInteger(exponent)) return undefined;
  return { isNegative: sign === '-', digits, exponent };
}
