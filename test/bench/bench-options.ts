import { parseArgs } from 'node:util';

/** What the benchmarks take from their command lines. */
export interface BenchOptions {
  /** How often everything is measured. */
  readonly runs: number;
  /** Names to measure only, of those that the benchmark has. */
  readonly only: Readonly<Record<string, readonly string[]>>;
  readonly write: boolean;
}

/** Names by what is chosen. */
type Choices = Readonly<Record<string, readonly string[]>>;

/**
 * Reads the command line; with --help, or after a mistake in it, ends the process.
 *
 * @param choices What may be chosen by name, such as `cases`, and its names.
 * @param usual Those that are measured when none are chosen. @default all
 */
export function readBenchOptions(
  name: string,
  defaultRuns: number,
  choices: Choices = {},
  usual: Choices = {},
): BenchOptions {
  const text = { type: 'string' } as const;
  const flag = { type: 'boolean' } as const;
  const options = {
    ...Object.fromEntries(Object.keys(choices).map((choice) => [choice, text])),
    runs: text,
    write: flag,
    help: flag,
  };
  try {
    const { values } = parseArgs({ options, strict: true });
    if (values.help === true) return end(0, help(name, defaultRuns, choices, usual));
    const given = new Map<string, unknown>(Object.entries(values));
    const only = Object.entries(choices).map(
      ([choice, names]) =>
        [choice, chosen(choice, names, given.get(choice)) ?? usual[choice] ?? names] as const,
    );
    const runs = Number(values.runs ?? defaultRuns);
    if (!Number.isInteger(runs) || runs < 1) throw new TypeError('--runs: expected 1 or more.');
    return { runs, only: Object.fromEntries(only), write: values.write === true };
  } catch (error) {
    const problem = error instanceof TypeError ? error.message : String(error);
    return end(2, `${problem}\n\n${help(name, defaultRuns, choices, usual)}`);
  }
}

function chosen(
  choice: string,
  names: readonly string[],
  given: unknown,
): readonly string[] | undefined {
  if (typeof given !== 'string') return undefined;
  const wanted = given.split(',');
  const wrong = wanted.find((each) => !names.includes(each));
  if (wrong === undefined) return wanted;
  throw new TypeError(`--${choice}: expected some of ${names.join(', ')}, got ${wrong}.`);
}

function help(name: string, defaultRuns: number, choices: Choices, usual: Choices): string {
  const lines = Object.entries(choices).map(([choice, names]) => {
    const otherwise = usual[choice] === undefined ? '' : ` (${usual[choice].join(',')})`;
    return `  --${`${choice} LIST`.padEnd(18)}only some of ${names.join(',')}${otherwise}\n`;
  });
  return `npm run bench -- ${name} [options]

${lines.join('')}  --runs N            how often (${defaultRuns}); medians are shown
  --write             put the tables into docs/performance.md
`;
}

function end(code: number, text: string): never {
  (code === 0 ? process.stdout : process.stderr).write(text);
  process.exit(code);
}
