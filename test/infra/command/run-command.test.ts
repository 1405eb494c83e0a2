import { expect, test } from '@jest/globals';
import { commandOf } from '../../../infra/command/command.ts';
import { CommandError } from '../../../infra/command/command-error.ts';
import { runCommand } from '../../../infra/command/run-command.ts';
import { option, text } from '../../../infra/command-line/option-table.ts';
import { InvalidKeyError, SettingError } from '../../../lib/errors.ts';
import { sampleSurroundings } from './sample-surroundings.ts';

const GREET = commandOf({
  name: 'greet',
  what: 'Greets somebody. More than once where that is needed.',
  operands: [{ name: 'NAME', what: 'who is greeted' }],
  options: { word: option('WORD', 'how', text, 'hello') },
  run: async ({ options, operands: [name = ''] }, { output }) => {
    const greeting = `${options.word ?? 'hello'} ${name}`;
    output.note('greeting');
    output.result({ greeting }, (width) => greeting.slice(0, width));
    return name === 'nobody' ? 'failed' : 'done';
  },
});

const failing = (error: unknown) =>
  commandOf({ name: 'fail', what: 'Fails.', options: {}, run: () => Promise.reject(error) });

async function run(
  args: readonly string[],
  commands = [GREET],
  surroundings = sampleSurroundings(),
) {
  const code = await runCommand(commands, args, surroundings);
  return { code, ...surroundings.said };
}

test('text for a person fits the terminal, JSON is one line, all else is on stderr', async () => {
  const narrow = sampleSurroundings({ stdout: { isTTY: true, columns: 8, write: () => true } });
  expect(await run(['greet', 'Ada'], [GREET], narrow)).toEqual({
    code: 0,
    stdout: 'hello Ad\n',
    stderr: 'greeting\n',
  });
  expect(await run(['greet', 'Ada', '--json', '--word', 'hi'])).toEqual({
    code: 0,
    stdout: '{"greeting":"hi Ada"}\n',
    stderr: 'greeting\n',
  });
});

test('what failed exits with 1 though its result is printed', async () => {
  expect(await run(['greet', 'nobody'])).toMatchObject({ code: 1, stdout: 'hello nobody\n' });
});

test.each([
  [['gret', 'Ada'], 'There is no such command. Did you mean greet? '],
  [['greet', 'Ada', '--wrod=x'], "Unknown option '--wrod'. Did you mean --word? "],
  [['greet'], 'expected NAME: who is greeted. '],
  [['--json'], "Unknown option '--json'. "],
  [
    ['--api-key=secret'],
    "Unknown option '--api-key'. No key is needed here. It is never an argument, since others can read those: consider one that was typed exposed. ",
  ],
  [['help', 'nobody'], 'There is no such command. '],
])('%j is told in one line with exit code 2: %s', async (args, problem) => {
  const { code, stdout, stderr } = await run(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe(`Command line: ${problem}--help shows all options.\n`);
});

test('no command at all shows the help on stderr with exit code 2', async () => {
  const { code, stdout, stderr } = await run([]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toBe((await run(['--help'])).stdout);
});

test('the help names each command by its first sentence, and each command by all it says', async () => {
  const whole = await run(['help']);
  expect(whole).toMatchObject({ code: 0, stderr: '' });
  expect(whole.stdout).toMatch(/^ {2}greet +Greets somebody$/m);
  for (const args of [
    ['greet', '--help'],
    ['help', 'greet'],
    ['greet', '--help', '--nope'],
  ]) {
    const { code, stdout } = await run(args);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Usage: customers-functions greet NAME \[options\]$/m);
    expect(stdout).toContain('More than once');
    expect(stdout).toMatch(/^ {2}--word WORD +how \(hello\)$/m);
    expect(stdout).toMatch(/^ {2}--json +print the result as JSON$/m);
  }
});

test.each([
  [new SettingError('--word', 'expected another'), 2, '--word: expected another\n'],
  [new InvalidKeyError('The key is empty.'), 2, 'The key is empty.\n'],
  [
    new CommandError('There is no export x.\nlist shows all.'),
    1,
    'There is no export x.\nlist shows all.\n',
  ],
  [new TypeError('x is\nnot'), 1, 'Unexpectedly failed: TypeError: x is\n'],
  ['text', 1, 'Unexpectedly failed: string\n'],
])('%p is told without a stack, with exit code %i', async (error, code, stderr) => {
  expect(await run(['fail'], [failing(error)])).toEqual({ code, stdout: '', stderr });
});

test('an interruption exits with 130, whatever failed because of it', async () => {
  const surroundings = sampleSurroundings();
  surroundings.interrupt.abort();
  const ended = await run(['fail'], [failing(new Error('aborted'))], surroundings);
  expect(ended).toEqual({ code: 130, stdout: '', stderr: 'Interrupted.\n' });
});
