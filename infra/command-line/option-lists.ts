import type { Option, OptionTable } from './option-table.ts';

const WIDTH = 100;

/** The lines of a program's help, one option after the other. @param column Where its meaning begins. */
export function optionLines(table: OptionTable, column: number): string {
  const indent = `\n${' '.repeat(column)}`;
  const lines = Object.entries({ ...table, help: HELP }).map(([name, option]) => {
    const meaning = [meaningOf(option), ...wrapped(option.choices ?? [], WIDTH - column)];
    return `  ${written(name, option).padEnd(column - 2)}${meaning.join(indent)}\n`;
  });
  return lines.join('');
}

/** The same as a table in Markdown. */
export function optionRows(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, option]) => {
    const { what, choices = [], otherwise } = option;
    const held = otherwise === undefined ? '' : `${otherwise} `;
    const list = choices.length === 0 ? '' : `: ${choices.map((each) => `\`${each}\``).join(', ')}`;
    const meaning = `${what.charAt(0).toUpperCase()}${what.slice(1)}${list}`;
    return `| \`${written(name, option)}\` | ${meaning.replaceAll('|', '\\|')} | ${held}|\n`;
  });
  return `| Option | Meaning | Default |\n|---|---|---|\n${rows.join('')}`;
}

const HELP: Option<unknown> = { what: 'this text', read: () => true };

function written(name: string, { value }: Option<unknown>): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function meaningOf({ what, otherwise, choices }: Option<unknown>): string {
  const meaning = otherwise === undefined ? what : `${what} (${otherwise})`;
  return choices === undefined ? meaning : `${meaning}:`;
}

/** Names with commas between them, in lines of at most this many characters. */
function wrapped(names: readonly string[], width: number): readonly string[] {
  return names.join(', ').match(new RegExp(`\\S.{0,${width - 1}}(?= |$)`, 'g')) ?? [];
}
