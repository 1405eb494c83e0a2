import { CustomDataIdentifier, DataProtectionPolicy } from 'aws-cdk-lib/aws-logs';
import { SettingError } from '../../../lib/errors.ts';

/**
 * The value after a name: some punctuation (CloudWatch's syntax has no colon and no quote, so any character
 * that is not part of a word), then at least as many characters as the shortest key that functions look for.
 * "API-KEY authentication" is prose and has no punctuation.
 */
const VALUE = '[^A-Za-z0-9_ ][^A-Za-z0-9_]{0,5}[A-Za-z0-9_=/+.-]{8,}';
/** `API-KEY: …`, `"apiKey":"…"`, `x-api-key=…` and similar, as printed for headers, members and variables. */
const USUAL = `[Aa][Pp][Ii][-_]?[Kk][Ee][Yy]${VALUE}`;
const USUAL_NAME = /api[-_]?key$/i;

/** CloudWatch Logs user guide, "Custom data identifier constraints". */
const MAX_IDENTIFIERS = 10;
const MAX_LENGTH = 200;

/**
 * Makes CloudWatch mask text that looks like a key, in case the functions' redaction misses it: names of keys
 * with a value, the headers of connections with their values, and the operator's patterns.
 *
 * @throws SettingError when CloudWatch does not take so many.
 */
export function keyMask(
  headers: readonly string[],
  patterns: readonly string[],
): DataProtectionPolicy {
  const unusual = [...new Set(headers)].filter((header) => !USUAL_NAME.test(header));
  const all = [USUAL, ...unusual.map(headerPattern), ...patterns];
  if (all.length > MAX_IDENTIFIERS) {
    throw new SettingError(
      'keyPatterns',
      `CloudWatch takes ${MAX_IDENTIFIERS} patterns; ours and those of the headers of connections are ${1 + unusual.length}, got ${patterns.length} more`,
    );
  }
  return new DataProtectionPolicy({
    name: 'keys',
    description: 'Masks what looks like a key of the customers API',
    identifiers: all.map((pattern, index) => new CustomDataIdentifier(`ApiKey-${index}`, pattern)),
  });
}

/** The end of a long name is enough. */
function headerPattern(header: string): string {
  const parts = [...header.toLowerCase()].map(anyCase);
  while (parts.join('').length + VALUE.length > MAX_LENGTH) parts.shift();
  return parts.join('') + VALUE;
}

/** Header names ignore case. A character that CloudWatch's syntax lacks matches any character. */
function anyCase(character: string): string {
  if (/[a-z]/.test(character)) return `[${character.toUpperCase()}${character}]`;
  return /[0-9_#-]/.test(character) ? character : '.';
}
