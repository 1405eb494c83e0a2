import * as v from 'valibot';

/** Limits of CloudWatch Logs (user guide, "Custom data identifier constraints"). */
const PATTERN = /^[A-Za-z0-9_#=@/;, ^$?[\]{}|\\*+.-]{1,200}$/;
const EXPECTED =
  'expected a regular expression of 1 to 200 letters, digits, spaces and _#=@/;,-^$?[]{}|\\*+. as CloudWatch takes it, such as cust_[A-Za-z0-9]{32}';

/** A regular expression for text that looks like a key, with the syntax that CloudWatch supports. */
export const KeyPatternSchema = v.pipe(
  v.string(EXPECTED),
  v.regex(PATTERN, EXPECTED),
  v.check((pattern) => matcherOf(pattern) !== undefined, 'it is no regular expression'),
  v.check(
    (pattern) => matcherOf(pattern)?.test('') === false,
    'it matches any text at all, so everything would be masked',
  ),
);

function matcherOf(pattern: string): RegExp | undefined {
  try {
    return new RegExp(pattern);
  } catch {
    return undefined;
  }
}
