import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { SettingError } from '../../../lib/errors.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';

export const KEY_VARIABLE = 'CUSTOMERS_API_KEY';

/**
 * The key as the secret's text: from the environment, else from a prompt that shows nothing. It is never
 * an argument, since other users of a machine can read those.
 *
 * @throws SettingError when there is neither; InvalidKeyError for text that can be no key.
 */
export async function askKey(interrupt: AbortController): Promise<string> {
  const given = process.env[KEY_VARIABLE];
  const text = given === undefined || given === '' ? await promptForKey(interrupt) : given;
  ApiKey.from(text);
  return text;
}

async function promptForKey(interrupt: AbortController): Promise<string> {
  const typed = process.stdin.isTTY
    ? await promptHidden('API key (not shown): ', interrupt)
    : undefined;
  if (typed !== undefined) return typed;
  throw new SettingError(
    KEY_VARIABLE,
    'expected the API key in this environment variable, or a terminal to ask for it, got neither',
  );
}

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
