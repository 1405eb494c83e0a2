import type { Option, OptionTable } from '../../infra/command-line/option-table.ts';

/** A table of options in Markdown, for the docs. */
export function optionRows(table: OptionTable): string {
  const rows = Object.entries(table).map(([name, option]) => {
    const held = option.otherwise === undefined ? '' : `${option.otherwise} `;
    const meaning = meaningInDocs(option).replaceAll('|', '\\|');
    return `| \`${writtenOption(name, option)}\` | ${meaning} | ${held}|\n`;
  });
  return `| Option | Meaning | Default |\n|---|---|---|\n${rows.join('')}`;
}

/** An option as it is typed, such as `--port N`. */
function writtenOption(name: string, { value }: Option<unknown>): string {
  return value === undefined ? `--${name}` : `--${name} ${value}`;
}

function meaningInDocs({ what, choices = [] }: Option<unknown>): string {
  const list = choices.length === 0 ? '' : `: ${choices.map((each) => `\`${each}\``).join(', ')}`;
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}${list}`;
}
