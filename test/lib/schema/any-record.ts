import fc from 'fast-check';
import { RecordsDescriber, type RecordsReport } from '../../../lib/schema/records-describer.ts';

// None is a single backslash: JSON.parse then takes other escaped names for it (V8 13.6).
const names = fc.oneof(
  fc.constantFrom(
    'id',
    'name',
    'a.b',
    "it's",
    '"',
    'a\\b',
    '',
    '__proto__',
    'constructor',
    'toString',
  ),
  fc.constantFrom('größe', '名前', 'Id', 'select', '0', '-', 'a\nb', '\u{1f680}', '\ud800'),
);

const numbers = fc.oneof(
  fc.constantFrom('0', '-0', '1.10', '1e3', '9007199254740991', '9007199254740992', '1e400'),
  fc.constantFrom(
    '12345678901234567890.123',
    '0.1',
    '-12345678901234567890',
    '0.30000000000000004',
  ),
  fc.integer().map(String),
);

const texts = fc.oneof(
  fc.constantFrom(
    '"2026-11-22"',
    '"2026-11-22T10:00:00Z"',
    '"\\ud83d\\ude80"',
    '""',
    '"\\u00e9\\n"',
  ),
  fc.string({ unit: 'grapheme' }).map((text) => JSON.stringify(text)),
);

/** The JSON text of any record without white space: all kinds of numbers, escapes, duplicate and odd names. */
export const anyRecord: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('null', 'true', 'false'),
      numbers,
      texts,
      fc.array(tie('value'), { maxLength: 3 }).map((elements) => `[${elements.join(',')}]`),
      tie('object'),
    ),
    object: fc
      .array(fc.tuple(names, tie('value')), { maxLength: 6 })
      .map(
        (members) =>
          `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`,
      ),
  }),
).object;

export function describe(...records: readonly string[]): RecordsReport {
  const describer = new RecordsDescriber();
  for (const record of records) describer.push(Buffer.from(`${record}\n`));
  return describer.report();
}
