import { ELEMENTS, jsonPathOf, type PathStep } from '../../lib/schema/json-path.ts';
import type { ShapeReport } from '../../lib/schema/shape-report.ts';
import { count } from '../command-line/words.ts';

interface SchemaRow {
  /** JSONPath (RFC 9535). */
  readonly path: string;
  readonly types: string;
  readonly present: string;
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  longInteger: 'integer of more digits than a double keeps',
  longDecimal: 'decimal of more digits than a double keeps',
};

/** Members in the order in which they came first, those inside of others behind them. */
export function schemaRows(report: ShapeReport, above: readonly PathStep[] = []): SchemaRow[] {
  const inside = (report.members ?? []).flatMap((member) => {
    const path: readonly PathStep[] = [...above, member.name];
    const present = member.always ? 'all' : count(member.present);
    return [
      { path: jsonPathOf(path), types: typesOf(member), present },
      ...schemaRows(member, path),
    ];
  });
  if (report.elements === undefined) return inside;
  const path: readonly PathStep[] = [...above, ELEMENTS];
  const elements = { path: jsonPathOf(path), types: typesOf(report.elements), present: '' };
  return [...inside, elements, ...schemaRows(report.elements, path)];
}

/** The most frequent one first. */
function typesOf({ types }: ShapeReport): string {
  return Object.entries(types)
    .toSorted(([, a], [, b]) => b - a)
    .map(([type]) => TYPE_WORDS[type] ?? type)
    .join(', ');
}
