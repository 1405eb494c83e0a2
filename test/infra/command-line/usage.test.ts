import { expect, test } from '@jest/globals';
import { helpOf, readCommandLine, type Usage } from '../../../infra/command-line/usage.ts';
import { SettingError } from '../../../lib/errors.ts';
import { SAMPLE_OPTIONS } from './sample-options.ts';

const USAGE: Usage<typeof SAMPLE_OPTIONS> = {
  name: 'npm run sample --',
  what: 'Does something. Then it ends.',
  operands: [
    { name: 'FILE', what: 'what is read' },
    { name: 'OTHER', what: 'what is compared', isOptional: true },
  ],
  options: SAMPLE_OPTIONS,
  notes: 'More is in the docs.',
};

test('reads what was given, and leaves out what was not', () => {
  const args = ['--port=3', '--max-size=-0.5', 'in.json', '--letter', 'gamma', '--json'];
  expect(readCommandLine(USAGE, args)).toEqual({
    operands: ['in.json'],
    options: {
      port: 3,
      'max-size': -0.5,
      letter: 'gamma',
      json: true,
    },
  });
  expect(readCommandLine(USAGE, ['-', 'b'])).toEqual({ operands: ['-', 'b'], options: {} });
});

test('--help wins over a wrong value', () => {
  expect(readCommandLine(USAGE, ['--port=many', '--help'])).toBe('help');
  expect(readCommandLine(USAGE, ['--port', '--help'])).toBe('help');
});

test.each([
  [
    ['--nope'],
    "Command line: Unknown option '--nope'. Did you mean --name? --help shows all options.",
  ],
  [[], 'Command line: expected FILE: what is read. --help shows all options.'],
  [
    ['a', 'b', 'skLive4f7Qz8'],
    'Command line: expected FILE and OTHER beside options, got 3 arguments. --help shows all options.',
  ],
  [
    ['-kskLive4f7Qz8'],
    'Command line: Unknown option with one hyphen: all have two. --help shows all options.',
  ],
  [['--skLive4f7Qz8'], 'Command line: Unknown option. --help shows all options.'],
  [
    ['--letter=skLive4f7Qz8'],
    '--letter: expected one of alpha, beta, gamma, got other text of 12 characters',
  ],
  [
    ['--port=skLive4f7Qz8'],
    '--port: expected a whole number from 0 to 10, got other text of 12 characters',
  ],
  [
    ['--prot=1'],
    "Command line: Unknown option '--prot'. Did you mean --port? --help shows all options.",
  ],
  [['--port'], 'Command line: --port needs a value. --help shows all options.'],
  [
    ['--port', '-1'],
    'Command line: --port needs a value; one that begins with a hyphen is written --port=VALUE. --help shows all options.',
  ],
  [
    ['--port', '--json'],
    'Command line: --port needs a value; one that begins with a hyphen is written --port=VALUE. --help shows all options.',
  ],
  [['--json=1'], 'Command line: --json takes no value. --help shows all options.'],
  [
    ['--port', '1', '--name=a', '--port=2'],
    'Command line: --port is there more than once, and no rule says which one counts. --help shows all options.',
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
  expect(() => readCommandLine(USAGE, args)).toThrow(new SettingError(...splitProblem(problem)));
});

test.each([
  ['--key'],
  ['--KEY'],
  ['--api-key=skLive4f7Qz8'],
  ['--apikey'],
  ['--token'],
  ['--secret=skLive4f7Qz8'],
  ['skLive4f7Qz8', 'b', 'c'],
])('says where the key comes from instead of a hint when it is called with %s', (...args) => {
  const usage = { ...USAGE, keySource: 'The key is asked for.' };
  const read = () => readCommandLine(usage, args);

  expect(read).toThrow(/The key is asked for\. It is never an argument/);
  expect(read).not.toThrow(/Did you mean|skLive/);
});

function splitProblem(problem: string): [string, string] {
  const colon = problem.indexOf(': ');
  return [problem.slice(0, colon), problem.slice(colon + 2)];
}

test('the help fits the width, and has a line for each operand and option with its default and choices', () => {
  expect(helpOf(USAGE, 50)).toBe(`Usage: npm run sample -- FILE [OTHER] [options]

Does something. Then it ends.

Arguments:
  FILE          what is read
  OTHER         what is compared

Options:
  --port N      where it listens (7)
  --max-size N  the size
  --name NAME   what it is called
  --letter L    one of these (beta): alpha, beta,
                gamma
  --json        JSON | text
  --help        this text

More is in the docs.
`);
});
