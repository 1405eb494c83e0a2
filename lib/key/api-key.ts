import { InvalidKeyError } from '../errors.ts';

/** What stands wherever a key would have been shown. */
export const REDACTED = '[redacted]';

/** Longest key accepted: servers commonly refuse header lines over 8 KiB (nginx and Apache defaults). */
const MAX_KEY_LENGTH = 4096;

/** `inspect.custom` of `node:util`, which would be loaded for it whenever a function starts. */
const custom = Symbol.for('nodejs.util.inspect.custom');

let readValue: (key: ApiKey) => string;

/**
 * One organization's API key, opaque: never parsed, renamed or reformatted, so older formats stay
 * usable. However it is printed (string, JSON, `util.inspect`, template), it shows `[redacted]`.
 */
export class ApiKey {
  readonly #value: string;

  static {
    readValue = (key) => key.#value;
  }

  private constructor(value: string) {
    this.#value = value;
  }

  /**
   * Accepts 1 to 4096 visible ASCII characters (0x21 to 0x7E), which is what a header value can carry
   * without being changed on the way (RFC 9110 section 5.5).
   *
   * @throws InvalidKeyError naming what is wrong, without any character of the key.
   */
  static from(text: unknown): ApiKey {
    const problem = problemOf(text);
    if (problem !== undefined) {
      throw new InvalidKeyError(
        `The API key ${problem}. Expected 1 to ${MAX_KEY_LENGTH} visible ASCII characters and nothing else. Store the key again exactly as the organization's settings page shows it.`,
      );
    }
    return new ApiKey(String(text));
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [custom](): string {
    return REDACTED;
  }
}

/**
 * The key's text. For `lib/key` and the one place that sets the header only; the architecture test
 * refuses any other import.
 */
export function revealKey(key: ApiKey): string {
  return readValue(key);
}

function problemOf(text: unknown): string | undefined {
  if (text === undefined || text === null) return `is ${text}, not text`;
  if (typeof text !== 'string') return `is of type ${typeof text}, not text`;
  if (text === '') return 'is empty';
  if (/[\r\n]$/.test(text)) return 'ends with a line break';
  if (/[\r\n]/.test(text)) return 'has a line break inside';
  if (/^\s|\s$/.test(text)) return 'begins or ends with white space';
  if (/\s/.test(text)) return 'has white space inside';
  if (/[\x00-\x1f\x7f]/.test(text)) return 'has a control character inside';
  if (/[^\x21-\x7e]/.test(text)) return 'has a character outside ASCII';
  if (text.length > MAX_KEY_LENGTH) return `has ${text.length} characters`;
  return undefined;
}
