import { SettingError } from '../errors.ts';

/**
 * The JSON text of a value that a caller gave.
 *
 * @throws SettingError naming `setting` for what JSON cannot express.
 */
export function givenText(value: unknown, setting: string): string {
  try {
    const text: unknown = JSON.stringify(value, expressible);
    if (typeof text === 'string') return text;
  } catch {
    // Told below; the engine's message shows parts of the value.
  }
  throw new SettingError(
    setting,
    'expected a value that can be written as JSON, with numbers up to 2^53',
  );
}

/**
 * JSON.stringify would write `null` for NaN and `{}` for a Map or a promise, and leave functions out: what was given would
 * be lost without a word. Of a whole number beyond 2^53 digits are lost already.
 */
function expressible(_name: string, value: unknown): unknown {
  const isLost =
    typeof value === 'number'
      ? !(Math.abs(value) <= Number.MAX_SAFE_INTEGER)
      : LOST.test(Object.prototype.toString.call(value));
  if (isLost) throw new TypeError('JSON has no such value');
  return value;
}

/** What `Object.prototype.toString` says of all but plain values, and instances of classes with members. */
const LOST = /^\[object (?!(Object|Array|Null|Undefined|String|Number|Boolean|BigInt)\])/;
