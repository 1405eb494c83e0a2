import { numberIds, type RecordSource } from './record-source.ts';
import { AMOUNTS, pick, poolOf } from './sample-pool.ts';

/**
 * 2^53 is 9007199254740992: from the twelfth record on, neighbouring ids are the same number to a
 * client that reads them as IEEE doubles.
 */
export const FIRST_CUSTOMER_ID = 9_007_199_254_740_981n;

const NOTES = [
  'null',
  '""',
  '"Prefers e-mail \\u2014 caf\\u00e9 on the corner"',
  '"Line one\\nLine two\\t\\"quoted\\" \\\\ back\\/slash"',
  '"👩‍👩‍👧‍👦 family account 🎉"',
  '"Ünïcödé, naïve, Ελληνικά, עברית"',
  '"\\ud83d\\ude80 escaped emoji"',
  'null',
  '"a very ordinary note"',
];
const CUSTOM_FIELDS = [
  '{}',
  'null',
  '{"size":"L","newsletter":true}',
  '{"__proto__":{"admin":true},"constructor":"x"}',
  '{"nested":{"list":[1,2.50,[],{}]},"":"empty name"}',
];

export function customerSource(seed: number, organizationIndex: number): RecordSource {
  const pool = poolOf(seed);
  const shift = organizationIndex * 37;
  const ids = numberIds(FIRST_CUSTOMER_ID, organizationIndex);
  const textOf = (sequence: number, version: number) => {
    // Strides without a common factor with the pool, so that neighbours differ in every field.
    const person = pick(pool, sequence * 5 + shift);
    const place = pick(pool, sequence * 11 + (sequence >> 8) + shift);
    const work = pick(pool, sequence * 23 + (sequence >> 6) + 3);
    return (
      `{"id":${ids.idOf(sequence)},"number":"C-${String(sequence + 1).padStart(6, '0')}","version":${version}` +
      `,"name":${person.name},"email":"${person.account}.${sequence + 1}@example.com"` +
      `,"phone":${person.phone},"company":${work.company},"address":${place.address}` +
      `,"balance":${pick(AMOUNTS, sequence + version - 1)},"currency":"EUR","tags":${work.tags}` +
      `,"notes":${pick(NOTES, sequence)},"custom_fields":${pick(CUSTOM_FIELDS, sequence)}` +
      `,"active":${sequence % 7 !== 6},"created_at":${place.createdAt}}`
    );
  };
  return { ...ids, textOf };
}
