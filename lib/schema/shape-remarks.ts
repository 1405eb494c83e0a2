import { MAX_RECORD_BYTES, type RecordsReport } from './records-describer.ts';
import type { ShapeReport } from './shape-report.ts';

/** What types do not say of a place, in one line; `undefined` when there is nothing. */
function remarkOn(report: ShapeReport): string | undefined {
  const { types, dates = 0, dateTimes = 0, unnamed, unopened } = report;
  const texts = types.text ?? 0;
  const remarks = [
    hasLongNumber(report) &&
      'Numbers with more digits than JavaScript keeps: the client gives them as text.',
    texts > 0 && dates === texts && 'A date, such as 2026-11-22.',
    texts > 0 && dateTimes === texts && 'A date with a time, such as 2026-11-22T10:00:00Z.',
    unnamed !== undefined && 'Has more names than the report names.',
    unopened !== undefined && 'Is nested deeper than the report looks.',
  ];
  return remarks.filter((remark) => remark !== false).join(' ') || undefined;
}

/** The remark as a comment on a line of its own; nothing when there is none. */
export function commentOn(report: ShapeReport, indent: string): string {
  const remark = remarkOn(report);
  return remark === undefined ? '' : `${indent}/** ${remark} */\n`;
}

export function hasNumber({ types }: ShapeReport): boolean {
  const { integer, longInteger, decimal, longDecimal } = types;
  return [integer, longInteger, decimal, longDecimal].some((count = 0) => count > 0);
}

/** Whether there are numbers that the client gives as text, since JavaScript's may lose digits of them. */
export function hasLongNumber({ types }: ShapeReport): boolean {
  return types.longInteger !== undefined || types.longDecimal !== undefined;
}

/** What the generated source has to say before it begins. */
export function remarksOnAll({ records, tooLong, record }: RecordsReport): readonly string[] {
  const isPartial = tooLong !== undefined;
  const left = `${tooLong} of them are longer than ${MAX_RECORD_BYTES} bytes and were not looked into.`;
  const remark = remarkOn(record);
  return [
    `From ${records} records.`,
    ...(isPartial ? [left] : []),
    ...(remark === undefined ? [] : [remark]),
  ];
}

/**
 * Whether every object has a member of this name, such as `constructor` and `__proto__`: where a record has none,
 * types and schemas find the inherited one, of another type.
 */
export function isInherited(name: string): boolean {
  return name in {};
}

/** Stands in place of such a member. */
export function inheritedRemark(name: string, indent: string): string {
  return `${indent}// ${JSON.stringify(name)} is left out: every object inherits one of this name.\n`;
}
