/**
 * Lets a program go on when whoever read its output has gone (`| head -1`): what is left to say goes
 * nowhere, everything that was started still ends in order, and the exit code is the ordinary one.
 */
export function outliveClosedOutput(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
