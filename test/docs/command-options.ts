import { COMMANDS } from '../../infra/command/commands.ts';
import { optionRows } from './option-rows.ts';

/** The tables of the page about the command, one for each command. */
export function commandOptions(): string {
  const sections = COMMANDS.map(({ usage }) => {
    const operands = (usage.operands ?? []).map(({ name, isOptional }) =>
      isOptional === true ? ` [${name}]` : ` ${name}`,
    );
    return `### \`${usage.name}${operands.join('')}\`\n\n${usage.what}\n\n${optionRows(usage.options)}`;
  });
  return sections.join('\n');
}
