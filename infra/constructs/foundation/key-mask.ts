import { CustomDataIdentifier, DataProtectionPolicy } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { SettingError } from '../../../lib/errors.ts';
import { KeyPatternSchema } from '../../settings/key-pattern.ts';

/**
 * The value behind a name: some mark (colons and quotes cannot be named, so whatever is no word), then a run
 * as long as the shortest key that functions look for. "API-KEY authentication" is prose and has no mark.
 */
const VALUE = '[^A-Za-z0-9_ ][^A-Za-z0-9_]{0,5}[A-Za-z0-9_=/+.-]{8,}';
/** `API-KEY: …`, `"apiKey":"…"`, `x-api-key=…` and the like, as headers, members and variables are printed. */
const USUAL = `[Aa][Pp][Ii][-_]?[Kk][Ee][Yy]${VALUE}`;
const USUAL_NAME = /api[-_]?key$/i;

/** CloudWatch Logs user guide, "Custom data identifier constraints". */
const MAX_IDENTIFIERS = 10;
const MAX_LENGTH = 200;

/**
 * Has CloudWatch mask text that looks like a key, should one ever get past the redaction of the functions:
 * names of keys with a value, headers of connections with theirs, and what the operator knows keys by.
 *
 * @param headers In which keys are sent.
 * @throws SettingError naming the pattern that CloudWatch would not take.
 */
export function keyMask(
  headers: readonly string[],
  patterns: readonly string[],
): DataProtectionPolicy {
  const unusual = [...new Set(headers)].filter((header) => !USUAL_NAME.test(header));
  const all = [USUAL, ...unusual.map(headerPattern), ...patterns.map(checkedPattern)];
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

function checkedPattern(pattern: string, index: number): string {
  const parsed = v.safeParse(KeyPatternSchema, pattern);
  if (parsed.success) return pattern;
  throw new SettingError(`keyPatterns.${index}`, parsed.issues[0].message);
}

/** The end of a name is enough to know a long one by. */
function headerPattern(header: string): string {
  const parts = [...header.toLowerCase()].map(anyCase);
  while (parts.join('').length + VALUE.length > MAX_LENGTH) parts.shift();
  return parts.join('') + VALUE;
}

/** Header names have no case; what CloudWatch's expressions cannot name may be any character. */
function anyCase(character: string): string {
  if (/[a-z]/.test(character)) return `[${character.toUpperCase()}${character}]`;
  return /[0-9_#-]/.test(character) ? character : '.';
}
