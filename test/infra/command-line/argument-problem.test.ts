import { parseArgs } from 'node:util';
import { expect, test } from '@jest/globals';
import { argumentProblem } from '../../../infra/command-line/argument-problem.ts';

test.each([
  [['--nope'], "Unknown option '--nope'. --help shows all options."],
  [['x'], "Unexpected argument 'x'. --help shows all options."],
  [['--port'], "Option '--port <value>' argument missing. --help shows all options."],
  [
    ['--port', '-1'],
    '--port needs a value; one that begins with a hyphen is written --port=VALUE.',
  ],
  [['--port', '--json'], '--port needs a value; one that begins with a hyphen'],
  [['--json=1'], "Option '--json' does not take an argument. --help shows all options."],
])('says of %j in one line: %s', (args, start) => {
  const problem = problemOf(args);

  expect(problem.slice(0, start.length)).toBe(start);
  expect(problem).not.toContain('\n');
});

function problemOf(args: string[]): string {
  try {
    parseArgs({ args, options: { port: { type: 'string' }, json: { type: 'boolean' } } });
    return '';
  } catch (error) {
    return argumentProblem(error);
  }
}
