import { type ExactJson, readExactJson } from '../json/exact-json.ts';
import { isSameNumber } from '../json/exact-number.ts';
import { memberAt, scalarText } from './template.ts';

export type RecordMatch =
  | 'matches'
  | 'differs'
  /** A member is missing, there twice, or an object or array; or it may be the same number, rounded. */
  | 'cannot-tell';

/**
 * @param recordText JSON text.
 * @param expected Texts by path of member names joined by dots.
 */
export function matchRecord(
  recordText: string,
  expected: Readonly<Record<string, string>>,
): RecordMatch {
  const read = readExactJson(recordText);
  return read.kind === 'json' ? matchJson(read.json, expected) : 'cannot-tell';
}

/** As {@link matchRecord}, of a record that was read already. */
export function matchJson(
  record: ExactJson,
  expected: Readonly<Record<string, string>>,
): RecordMatch {
  const members = Object.entries(expected).map(([path, text]) => {
    const actual = memberAt(record, path);
    const actualText = actual && scalarText(actual);
    if (actual === undefined || actualText === undefined) return 'cannot-tell';
    return actual.kind === 'number' ? matchNumber(actualText, text) : matchText(actualText, text);
  });
  if (members.includes('differs')) return 'differs';
  return members.includes('cannot-tell') ? 'cannot-tell' : 'matches';
}

/** 12.50 and 12.5 are the same number, and so are 1e3 and 1000, with all their digits. */
function matchNumber(actual: string, expected: string): RecordMatch {
  if (actual === expected || isSameNumber(actual, expected)) return 'matches';
  // An API that keeps numbers as doubles gives other digits back than it got, so both may be the same one.
  const isRounded = expected.trim() !== '' && Number(expected) === Number(actual);
  return isRounded ? 'cannot-tell' : 'differs';
}

/** An API may keep a number as text, in digits of its own. */
function matchText(actual: string, expected: string): RecordMatch {
  if (actual === expected) return 'matches';
  return isSameNumber(actual, expected) ? 'cannot-tell' : 'differs';
}
