import { Command as Program } from 'commander';
import { CustomersError } from '../../lib/errors.ts';
import { NoZstdError } from '../../lib/exports/packing.ts';
import { DiskError } from '../command-line/disk-error.ts';
import { printable, unforeseen } from '../command-line/printable.ts';
import {
  checkedArguments,
  helpTextOf,
  parseArguments,
  programOf,
  quiet,
} from '../command-line/usage.ts';
import { type Command, type Outcome, PROGRAM, wordOf } from './command.ts';
import { CommandError } from './command-error.ts';
import type { Surroundings } from './surroundings.ts';

/** What a program that calls the command can tell apart. */
const EXIT = { done: 0, failed: 1, usage: 2, interrupted: 130 } as const;

const NOTES = `customers-functions COMMAND --help shows what a command takes.

Exit code: 0 done, 1 the work failed, 2 wrong usage, 130 interrupted.`;

/** Does what a command line says. @returns The exit code. */
export async function runCommand(
  commands: readonly Command[],
  args: readonly string[],
  surroundings: Surroundings,
): Promise<number> {
  try {
    return EXIT[await chosenWork(commands, args)(surroundings)];
  } catch (error) {
    return explain(error, surroundings);
  }
}

type Work = (surroundings: Surroundings) => Promise<Outcome>;

function chosenWork(commands: readonly Command[], args: readonly string[]): Work {
  const [word, ...rest] = args;
  const command = commands.find((each) => wordOf(each) === word);
  if (command !== undefined) return command.read(rest);
  const helped = commands.find((each) => word === 'help' && wordOf(each) === rest[0]);
  if (helped !== undefined) return helped.read(['--help']);
  return (surroundings) => showHelp(commands, args, surroundings);
}

/** Of the whole program: asked for, or because there is no such command. */
async function showHelp(
  commands: readonly Command[],
  args: readonly string[],
  { stdout, stderr }: Surroundings,
): Promise<Outcome> {
  const isEmpty = args.length === 0;
  const out = isEmpty ? stderr : stdout;
  const program = wholeProgram(commands, out.columns);
  const isHelp = isEmpty || args[0] === '--help' || (args[0] === 'help' && args.length === 1);
  if (!isHelp) parseArguments(program, checkedArguments({ options: {} }, args));
  out.write(helpTextOf(program));
  if (isEmpty) throw new CommandLineEmpty();
  return 'done';
}

/** Nothing more is to be said than the help. */
class CommandLineEmpty extends Error {
  override readonly name = 'CommandLineEmpty';
}

function wholeProgram(commands: readonly Command[], width: number | undefined): Program {
  const program = quiet(new Program(PROGRAM))
    .description('Exports a rate-limited customers API, and operates a deployed integration.')
    .usage('COMMAND [options]')
    .helpOption('--help', 'this text')
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (each) => each.name() })
    .addHelpText('after', `\n${NOTES}`);
  for (const command of commands) {
    program.addCommand(programOf({ ...command.usage, name: wordOf(command) }));
  }
  return width === undefined ? program : program.configureOutput({ getOutHelpWidth: () => width });
}

/** Tells a person what is wrong, and programs by the exit code. */
function explain(error: unknown, { stderr, interrupt }: Surroundings): number {
  if (interrupt.signal.aborted) {
    stderr.write('Interrupted.\n');
    return EXIT.interrupted;
  }
  if (error instanceof CommandLineEmpty) return EXIT.usage;
  if (error instanceof CustomersError) {
    stderr.write(`${printable(error.message)}\n`);
    return EXIT.usage;
  }
  const isExpected =
    error instanceof CommandError || error instanceof DiskError || error instanceof NoZstdError;
  stderr.write(`${isExpected ? printable(error.message) : unforeseen(error)}\n`);
  return EXIT.failed;
}
