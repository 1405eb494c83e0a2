/** Of a terminal that nobody has made wider. */
const WIDTH = 80;
const GAP = '  ';

export type Column<Row> = readonly [name: string, cell: (row: Row) => string];

export function textTable<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const cells = [
    columns.map(([name]) => name),
    ...rows.map((row) => columns.map(([, cell]) => cell(row))),
  ];
  const widths = columns.map((_, column) =>
    Math.max(...cells.map((row) => row[column]?.length ?? 0)),
  );
  const lines = cells.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join(GAP)
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}

/** The lines of a table, each cut where a terminal would break it. */
export function cutLines(table: string): string {
  const cut = (line: string) => (line.length <= WIDTH ? line : `${line.slice(0, WIDTH - 1)}…`);
  return table.split('\n').map(cut).join('\n');
}

/** `undefined`: a row that is left out. */
export type TextRow = readonly [name: string, value: string] | undefined;

/**
 * Names and their values: a value's lines stand under each other, and break at spaces.
 *
 * @param column Characters of the column of names.
 * @param width Characters of a line; a wider terminal is not filled, since long lines are hard to read.
 */
export function textRows(rows: readonly TextRow[], column: number, width = WIDTH): string {
  const indent = `\n${' '.repeat(column)}`;
  const most = Math.min(width, WIDTH) - column;
  return rows
    .filter((row) => row !== undefined)
    .map(([name, value]) => {
      const lines = value.split('\n').flatMap((line) => brokenLines(line, most));
      return `${name.padEnd(column)}${lines.join(indent)}\n`;
    })
    .join('');
}

/** A word that is too long, such as a path, has a line of its own. */
function brokenLines(text: string, width: number): readonly string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${word}`.length <= width) {
      lines[lines.length - 1] = `${last} ${word}`;
    } else lines.push(word);
  }
  return lines;
}
