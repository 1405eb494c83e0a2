import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';

/**
 * Asks a person for a line that is not shown.
 *
 * @param interrupt Aborted by Ctrl-C: the terminal hands it over as a character while it is asked for keys.
 * @returns `undefined` when the input ended without a line (Ctrl-D).
 * @throws AbortError when it was interrupted.
 */
export async function promptHidden(
  question: string,
  interrupt: AbortController,
  input: NodeJS.ReadableStream = process.stdin,
  output: NodeJS.WritableStream = process.stderr,
): Promise<string | undefined> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const ended = new AbortController();
  output.write(question);
  const lines = createInterface({ input, output: silent, terminal: true });
  lines.once('SIGINT', () => interrupt.abort());
  lines.once('close', () => ended.abort());
  try {
    const signal = AbortSignal.any([interrupt.signal, ended.signal]);
    return await lines.question('', { signal });
  } catch (error) {
    if (interrupt.signal.aborted) throw error;
    return undefined;
  } finally {
    lines.close();
    output.write('\n');
  }
}
