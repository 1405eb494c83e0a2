import { Argument, Command, CommanderError, Option as CommanderOption } from 'commander';
import { SettingError } from '../../lib/errors.ts';
import { type Option, type OptionTable, type OptionValues, SHOWN_NAME } from './option-table.ts';

/** What stands on a command line without a name. */
interface Operand {
  /** In the help, such as `EXPORT-ID`. */
  readonly name: string;
  readonly what: string;
  /** @default false */
  readonly isOptional?: boolean;
}

/** How a program is called. Parsing, help and errors come from it. */
export interface Usage<Table extends OptionTable = OptionTable> {
  /** What is typed before the rest, such as `npm start --`. */
  readonly name: string;
  /** What it does, in sentences; the first one stands alone in a list of commands. */
  readonly what: string;
  readonly operands?: readonly Operand[];
  readonly options: Table;
  /** What the help says after the options. */
  readonly notes?: string;
  /** A sentence: where it takes the API key from. @default - it takes none */
  readonly keySource?: string;
}

export interface Given<Table extends OptionTable> {
  readonly options: OptionValues<Table>;
  /** In the order of the usage; optional ones may be missing. */
  readonly operands: readonly string[];
}

/**
 * Reads a command line; `--help` wins over every value, also over a wrong one.
 *
 * @throws SettingError naming the option.
 */
export function readCommandLine<Table extends OptionTable>(
  usage: Usage<Table>,
  args: readonly string[],
): Given<Table> | 'help';
export function readCommandLine(
  usage: Usage,
  args: readonly string[],
): Given<OptionTable> | 'help' {
  if (args.includes('--help')) return 'help';
  const program = programOf(usage);
  parseArguments(program, checkedArguments(usage, args));
  const given = Object.entries(usage.options).flatMap(([name, { read }]) => {
    const value: unknown = program.getOptionValue(attributeOf(name));
    return value === undefined ? [] : [[name, read(String(value), `--${name}`)] as const];
  });
  return { options: Object.fromEntries(given), operands: operandsOf(usage, program.args) };
}

/** The text of `--help`. @param width Of a line. @default - that of the terminal, or 80 */
export function helpOf(usage: Usage, width?: number): string {
  const program = programOf(usage);
  if (width !== undefined) program.configureOutput({ getOutHelpWidth: () => width });
  return helpTextOf(program);
}

/** The usage as the library takes it; it neither prints nor exits. */
export function programOf({ name, what, operands = [], options, notes }: Usage): Command {
  const program = quiet(new Command(name)).description(what).summary(firstSentence(what));
  program.allowExcessArguments().configureHelp({
    minWidthToWrap: 20,
    optionTerm: (each) => (each.long === '--help' ? each.long : each.flags.replace(/[<>]/g, '')),
    argumentTerm: (each) => each.name(),
  });
  for (const operand of operands) {
    const { name: term, what: meaning } = operand;
    // That it is missing is told after a wrong option.
    program.addArgument(new Argument(`[${term}]`, meaning));
  }
  const terms = operands.map((each) => (each.isOptional === true ? `[${each.name}]` : each.name));
  program.usage([...terms, '[options]'].join(' ')).helpOption('--help', 'this text');
  for (const [optionName, option] of Object.entries(options)) {
    const { value } = option;
    const flags = value === undefined ? `--${optionName}` : `--${optionName} <${value}>`;
    program.addOption(new CommanderOption(flags, meaningOf(option)));
  }
  return notes === undefined ? program : program.addHelpText('after', `\n${notes}`);
}

/** Has the library neither print nor exit: it throws, and what it would print is in `helpTextOf`. */
export function quiet(program: Command): Command {
  const nothing = () => undefined;
  return program
    .exitOverride()
    .configureOutput({ writeOut: nothing, writeErr: nothing, outputError: nothing });
}

/** All of the help, with the notes after it. */
export function helpTextOf(program: Command): string {
  let text = '';
  const write = (part: string) => {
    text += part;
  };
  const before = program.configureOutput();
  program.configureOutput({ ...before, writeOut: write });
  program.outputHelp();
  program.configureOutput(before);
  return text;
}

/** @throws SettingError in one line. */
export function parseArguments(program: Command, args: readonly string[]): void {
  try {
    program.parse(args, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    throw wrong(problemOf(error));
  }
}

/** As one or two sentences, such as `Unknown option '--jsn'. Did you mean --json?` */
function problemOf({ code, message }: CommanderError): string {
  const missing = /^error: option '(\S+) .* argument missing$/.exec(message)?.[1];
  if (missing !== undefined) return `${missing} needs a value.`;
  const [problem = '', hint] = message.replace(/^error: /, '').split('\n');
  // It is not quoted: it may be the key.
  const isCommand = code === 'commander.unknownCommand';
  const shown = isCommand ? 'there is no such command' : problem;
  const sentence = `${shown.charAt(0).toUpperCase()}${shown.slice(1)}.`;
  return hint === undefined ? sentence : `${sentence} ${hint.replace(/^\(|\)$/g, '')}`;
}

/** What a person calls an option for the key, such as `--api-key`; `--items-key` is another thing. */
const NAME_OF_KEY = /^(customers-?)?(api-?)?(key|token|secret)$/i;

/**
 * Leaves the value of an unknown option out, so that it is looked for by its name alone.
 *
 * @throws SettingError for an option that is there twice, and where a value is missing or too much; one that was forgotten between two options must not
 *   become the value of the first.
 */
export function checkedArguments(
  { options, keySource }: Pick<Usage, 'options' | 'keySource'>,
  args: readonly string[],
): readonly string[] {
  const seen = new Set<string>();
  return args.map((arg, index) => {
    const isOption = !args.slice(0, index).includes('--');
    if (isOption && /^-[^-]/.test(arg))
      throw wrong('Unknown option with one hyphen: all have two.');
    const [, name = '', , value] = /^--([^=]+)(=(.*))?$/s.exec(arg) ?? [];
    const option = Object.hasOwn(options, name) ? options[name] : undefined;
    if (seen.has(name) && option?.value !== undefined) {
      throw wrong(`--${name} is there more than once, and no rule says which one counts.`);
    }
    seen.add(name);
    if (option === undefined) return name === '' ? arg : unknownName(name, keySource);
    if (option.value === undefined && value !== undefined) throw wrong(`--${name} takes no value.`);
    const next = value ?? args[index + 1];
    if (option.value === undefined || next === undefined) return arg;
    if (value !== undefined || next === '-' || !next.startsWith('-')) return arg;
    const advice = `one that begins with a hyphen is written --${name}=VALUE`;
    throw wrong(`--${name} needs a value; ${advice}.`);
  });
}

/** @throws SettingError for a name that means the key, or that may be the key. */
function unknownName(name: string, keySource?: string): string {
  if (NAME_OF_KEY.test(name)) {
    throw wrong(`Unknown option '--${name}'. ${keyAdvice(keySource)}`);
  }
  if (!SHOWN_NAME.test(name)) throw wrong('Unknown option.');
  return `--${name}`;
}

function keyAdvice(keySource?: string): string {
  const advice =
    'It is never an argument, since others can read those: consider one that was typed exposed.';
  return `${keySource ?? 'No key is needed here.'} ${advice}`;
}

function wrong(problem: string): SettingError {
  return new SettingError('Command line', `${problem} --help shows all options.`);
}

function operandsOf(
  { operands = [], keySource }: Usage,
  args: readonly string[],
): readonly string[] {
  if (args.length > operands.length) throw wrong(tooMany(operands, args.length, keySource));
  const missing = operands.find(
    (each, index) => each.isOptional !== true && (args[index] ?? '') === '',
  );
  if (missing === undefined) return args;
  throw wrong(`expected ${missing.name}: ${missing.what}.`);
}

/** What is too much is not quoted: it may be the key. */
function tooMany(operands: readonly Operand[], given: number, keySource?: string): string {
  const names = operands.map(({ name }) => name).join(' and ');
  const problem = `expected ${names === '' ? 'options alone' : `${names} beside options`}, got ${given} argument${given === 1 ? '' : 's'}.`;
  return keySource === undefined ? problem : `${problem} ${keyAdvice(keySource)}`;
}

function meaningOf({ what, otherwise, choices }: Option<unknown>): string {
  const meaning = otherwise === undefined ? what : `${what} (${otherwise})`;
  return choices === undefined ? meaning : `${meaning}: ${choices.join(', ')}`;
}

/** As the library calls the option's value. */
function attributeOf(name: string): string {
  return name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

function firstSentence(text: string): string {
  return text.split(/\.(?:\s|$)/)[0] ?? text;
}
