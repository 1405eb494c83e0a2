import { fillTemplate, memberAt, scalarText, type TemplateValues } from './template.ts';

export type RecordMatch =
  | 'matches'
  | 'differs'
  /** A member is missing, is an object or array, or may have lost digits. */
  | 'cannot-tell';

export function matchRecord(
  record: unknown,
  match: Readonly<Record<string, string>>,
  values: TemplateValues,
): RecordMatch {
  const members = Object.entries(match).map(([path, template]) =>
    matchMember(memberAt(record, path), fillTemplate(template, values)),
  );
  if (members.includes('differs')) return 'differs';
  return members.includes('cannot-tell') ? 'cannot-tell' : 'matches';
}

function matchMember(actual: unknown, expected: string | undefined): RecordMatch {
  const text = scalarText(actual);
  if (text === undefined || expected === undefined) return 'cannot-tell';
  if (text === expected) return 'matches';
  // 12.50 and 12.5 are the same number, and so are 1e3 and 1000.
  const isSameNumber =
    typeof actual === 'number' && expected.trim() !== '' && Number(expected) === actual;
  return isSameNumber ? 'matches' : 'differs';
}
