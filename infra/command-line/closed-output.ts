import { codeOf } from './file-problem.ts';

/**
 * Lets a program go on when its output takes nothing more: what is left to say goes nowhere, and everything
 * that was started still ends in order. When whoever read it has gone (`| head -1`), the exit code is the
 * ordinary one; when it cannot be stored (`> file` on a full disk), one line says so and the exit code is 1.
 */
export function outliveClosedOutput(): void {
  let isTold = false;
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error) => {
      if (isTold || codeOf(error) === 'EPIPE') return;
      isTold = true;
      process.stderr.write(`Cannot write the output (${codeOf(error)}). Send it elsewhere.\n`);
      process.once('exit', () => {
        process.exitCode = 1;
      });
    });
  }
}
