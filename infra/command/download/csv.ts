import { type ExactJson, exactText, membersIn, stringIn } from '../../../lib/json/exact-json.ts';

/**
 * Where a cell begins that a spreadsheet runs as a formula (OWASP, "CSV Injection"); some read the full-width signs alike.
 * One whose list separator is a semicolon or a tab begins a cell behind each of them, and a row behind a line break,
 * whatever quotes are there.
 */
const FORMULA = /(?<=^|[;\t\r\n])(?=[^\S\t\r\n]*[=+\-@＝＋－＠])|^(?=[\t\r\n])/g;
/** RFC 4180 section 2, rules 6 and 7; spaces at the ends are kept by all readers only in quotes. */
const QUOTED = /[",\r\n]|^\s|\s$/;

type FormulaRule = 'as-it-came' | 'as-text';

/** The names of the members of a record, in its order. */
export function namesIn(record: ExactJson): readonly string[] {
  return [...membersIn(record)].map(([name]) => name);
}

/** A line of names or cells (RFC 4180), with its line break. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(quoted).join(',')}\r\n`;
}

/**
 * The cells of a record: text as its characters, numbers as they came, lists and objects as JSON text; what is not
 * there, and null, is empty. Of two members with one name the last one counts, as most readers of JSON have it.
 */
export function cellsOf(
  record: ExactJson,
  columns: readonly string[],
  rule: FormulaRule,
): readonly string[] {
  const members = new Map(membersIn(record));
  return columns.map((name) => {
    const value = members.get(name);
    if (value === undefined) return '';
    const text = cellOf(value);
    return rule === 'as-text' && mayHoldFormula(value) ? asText(text) : text;
  });
}

/** Text with an apostrophe before what a spreadsheet would run. */
export function asText(text: string): string {
  return text.replaceAll(FORMULA, "'");
}

/** Whether a spreadsheet would run a cell of the record, or of its names. */
export function hasFormula(record: ExactJson): boolean {
  const runs = (text: string) => asText(text) !== text;
  return [...membersIn(record)].some(
    ([name, value]) => runs(name) || (mayHoldFormula(value) && runs(cellOf(value))),
  );
}

/** Numbers have signs of their own. */
function mayHoldFormula({ kind }: ExactJson): boolean {
  return kind !== 'number' && kind !== 'literal';
}

function cellOf(value: ExactJson): string {
  const text = exactText(value);
  if (value.kind === 'literal' && text === 'null') return '';
  return stringIn(value) ?? text;
}

function quoted(cell: string): string {
  return QUOTED.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
