import { defined } from '../../lib/defined.ts';
import { SettingError } from '../../lib/errors.ts';
import { flag, namedByOption, type OptionTable } from '../command-line/option-table.ts';
import { type Given, helpOf, readCommandLine, type Usage } from '../command-line/usage.ts';
import { type Output, outputTo } from './output.ts';
import type { Surroundings } from './surroundings.ts';

/** Whether the work that was asked for is done; what was printed says what happened. Ctrl-C is the ordinary end of some. */
export type Outcome = 'done' | 'failed' | 'interrupted';

export interface Command {
  /** What parsing, help and docs come from. */
  readonly usage: Usage;
  /** Reads its part of the command line. @throws SettingError naming the option. */
  readonly read: (args: readonly string[]) => (surroundings: Surroundings) => Promise<Outcome>;
}

export interface CommandDefinition<Table extends OptionTable> extends Usage<Table> {
  /** A single word. */
  readonly name: string;
  /**
   * Does the work.
   *
   * @throws SettingError for what was typed, CommandError for what failed: each message is shown as it is.
   */
  readonly run: (given: Given<Table>, call: Call) => Promise<Outcome>;
}

export interface Call extends Surroundings {
  readonly output: Output;
}

/** Makes a command of its definition; it has `--json` and `--help` without naming them. */
export function commandOf<Table extends OptionTable>(
  definition: CommandDefinition<Table>,
): Command {
  const { name, what, operands, options, notes, keySource, run } = definition;
  const usage: Usage<Table & typeof JSON_OPTION> = {
    name: `${PROGRAM} ${name}`,
    what,
    options: { ...options, ...JSON_OPTION },
    ...defined({ operands, notes, keySource }),
  };
  return {
    usage,
    read: (args) => {
      const given = readCommandLine(usage, args);
      if (given === 'help') {
        return async ({ stdout }) => {
          stdout.write(helpOf(usage, stdout.columns));
          return 'done';
        };
      }
      return (surroundings) => {
        const output = outputTo(surroundings, given.options.json === true);
        return namingOptions(usage.options, () => run(given, { ...surroundings, output }));
      };
    },
  };
}

/** The word that is typed for a command. */
export function wordOf({ usage }: Command): string {
  return usage.name.slice(PROGRAM.length + 1);
}

export const PROGRAM = 'customers-functions';

const JSON_OPTION = { json: flag('print the result as JSON') } as const;

/** A setting that came from an option is called like the option. */
async function namingOptions(options: OptionTable, work: () => Promise<Outcome>): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SettingError)) throw error;
    throw namedByOption(options, error);
  }
}
