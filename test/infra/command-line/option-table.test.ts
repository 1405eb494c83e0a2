import { expect, test } from '@jest/globals';
import { optionLines, optionRows } from '../../../infra/command-line/option-lists.ts';
import {
  flag,
  number,
  oneOf,
  option,
  problemOfOption,
  readOptions,
  text,
} from '../../../infra/command-line/option-table.ts';
import { SettingError } from '../../../lib/errors.ts';

const CHOICES = ['alpha', 'beta', 'gamma'] as const;
const TABLE = {
  port: option('N', 'where it listens', number([0, 10]), 7),
  'max-size': option('N', 'the size', number()),
  name: option('NAME', 'what it is called', text),
  letter: { ...option('L', 'one of these', oneOf(CHOICES), 'beta'), choices: CHOICES },
  json: flag('JSON | text'),
} as const;

test('reads what was given, and leaves out what was not', () => {
  const args = ['--port=3', '--max-size', '-0.5', '--letter', 'gamma', '--json'];
  expect(readOptions(TABLE, args.toSpliced(1, 2, '--max-size=-0.5'))).toEqual({
    port: 3,
    'max-size': -0.5,
    letter: 'gamma',
    json: true,
  });
  expect(readOptions(TABLE, [])).toEqual({});
});

test('--help wins over a wrong value', () => {
  expect(readOptions(TABLE, ['--port=many', '--help'])).toBe('help');
});

test.each([
  [['--nope'], "Command line: Unknown option '--nope'. --help shows all options."],
  [['x'], "Command line: Unexpected argument 'x'. --help shows all options."],
  [['--port'], "Command line: Option '--port <value>' argument missing. --help shows all options."],
  [
    ['--port', '-1'],
    'Command line: --port needs a value; one that begins with a hyphen is written --port=VALUE. --help shows all options.',
  ],
  [
    ['--port', '--json'],
    'Command line: --port needs a value; one that begins with a hyphen is written --port=VALUE. --help shows all options.',
  ],
  [
    ['--json=1'],
    "Command line: Option '--json' does not take an argument. --help shows all options.",
  ],
  [['--port=many'], '--port: expected a whole number from 0 to 10, got many'],
  [['--max-size=many'], '--max-size: expected a number, got many'],
  [['--port='], '--port: expected a whole number from 0 to 10, got nothing'],
  [['--port=1e3'], '--port: expected a whole number from 0 to 10, got 1e3'],
  [['--port=11'], '--port: expected a whole number from 0 to 10, got 11'],
  [['--port=-1'], '--port: expected a whole number from 0 to 10, got -1'],
  [['--port=0.5'], '--port: expected a whole number from 0 to 10, got 0.5'],
  [['--name='], '--name: expected a value, got nothing'],
  [['--letter=delta'], '--letter: expected one of alpha, beta, gamma, got delta'],
])('refuses %j in one line that names the option: %s', (args, problem) => {
  expect(() => readOptions(TABLE, args)).toThrow(new SettingError(...splitProblem(problem)));
});

function splitProblem(problem: string): [string, string] {
  const colon = problem.indexOf(': ');
  return [problem.slice(0, colon), problem.slice(colon + 2)];
}

test('the help has a line for each option, its default, its choices and itself', () => {
  expect(optionLines(TABLE, 90)).toBe(
    [
      `  ${'--port N'.padEnd(88)}where it listens (7)`,
      `  ${'--max-size N'.padEnd(88)}the size`,
      `  ${'--name NAME'.padEnd(88)}what it is called`,
      `  ${'--letter L'.padEnd(88)}one of these (beta):`,
      `${' '.repeat(90)}alpha,`,
      `${' '.repeat(90)}beta,`,
      `${' '.repeat(90)}gamma`,
      `  ${'--json'.padEnd(88)}JSON | text`,
      `  ${'--help'.padEnd(88)}this text`,
      '',
    ].join('\n'),
  );
});

test('the docs have a row for each option', () => {
  expect(optionRows(TABLE)).toBe(`| Option | Meaning | Default |
|---|---|---|
| \`--port N\` | Where it listens | 7 |
| \`--max-size N\` | The size | |
| \`--name NAME\` | What it is called | |
| \`--letter L\` | One of these: \`alpha\`, \`beta\`, \`gamma\` | beta |
| \`--json\` | JSON \\| text | |
`);
});

test.each([
  ['port', '--port: wrong'],
  ['stack.connections.demo.maxSize', '--max-size: wrong'],
  ['stack.titles[0].text', '--name: wrong'],
  ['--port', '--port: wrong'],
  ['KEY', 'KEY: wrong'],
])('what is wrong with the setting %s is shown as %s', (setting, shown) => {
  const error = new SettingError(setting, 'wrong');
  expect(problemOfOption(TABLE, error, { titles: 'name' })).toBe(shown);
});
