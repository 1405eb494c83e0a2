import { COMMANDS } from '../../infra/command/commands.ts';
import { ASKED_OPTIONS } from '../../infra/command/stack/stack-options.ts';
import type { OptionTable } from '../../infra/command-line/option-table.ts';
import { optionRows } from './option-rows.ts';

/** Pages with the tables of these commands. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'customers-functions doctor': 'doctor.md',
  'customers-functions simulate': 'simulator.md',
};

/** The tables of the page about the command, one for each command, and first what many have in common. */
export function commandOptions(): string {
  const sections = COMMANDS.map(({ usage }) => {
    const operands = (usage.operands ?? []).map(({ name, isOptional }) =>
      isOptional === true ? ` [${name}]` : ` ${name}`,
    );
    return `### \`${usage.name}${operands.join('')}\`\n\n${usage.what}\n\n${optionsOf(usage)}`;
  });
  const all = `All take \`--json\`, which prints the result as JSON. Those that ask a deployed integration also take these, but \`new-key\` no \`--by\`:`;
  return [`${all}\n\n${optionRows(ASKED_OPTIONS)}`, ...sections].join('\n');
}

function optionsOf({ name, options }: { name: string; options: OptionTable }): string {
  const page = ELSEWHERE[name];
  if (page !== undefined) return `Its options are on [a page of their own](${page}).\n`;
  const common = new Set<unknown>(Object.values(ASKED_OPTIONS));
  const own = Object.entries(options).filter(
    ([each, option]) => each !== 'json' && !common.has(option),
  );
  return own.length === 0 ? 'It has no others.\n' : optionRows(Object.fromEntries(own));
}
