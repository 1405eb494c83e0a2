import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { refuseKeyIn } from '../../lib/customers-api/settings.ts';
import { SettingError } from '../../lib/errors.ts';
import { ApiKey } from '../../lib/key/api-key.ts';

export const KEY_VARIABLE = 'CUSTOMERS_API_KEY';

interface KeySource {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stderr: Prompting;
}

interface Prompting {
  write(text: string): unknown;
}

/**
 * The key as the secret's text: from the environment, else from a prompt that shows nothing. It is never
 * an argument, since other users of a machine can read those.
 *
 * @param options What was given besides, by the names of options or settings: files and what is printed show it.
 * @throws SettingError when there is neither, or for an option that holds the key; InvalidKeyError for text that can
 *   be no key.
 */
export async function askKey(
  interrupt: AbortController,
  { environment, stdin, stderr }: KeySource,
  options: object,
): Promise<string> {
  const given = environment[KEY_VARIABLE];
  if (given !== undefined && given !== '') return checked(given, options);
  const typed = stdin.isTTY
    ? await promptHidden('API key (not shown): ', interrupt, stdin, stderr)
    : undefined;
  if (typed !== undefined) return checked(typed, options);
  throw new SettingError(
    KEY_VARIABLE,
    'expected the API key in this environment variable, or a terminal to ask for it, got neither',
  );
}

function checked(text: string, options: object): string {
  refuseKeyIn(options, ApiKey.from(text));
  return text;
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
  input: NodeJS.ReadableStream,
  output: Prompting,
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
