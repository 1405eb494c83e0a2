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
export async function askKey(signal: AbortSignal): Promise<string> {
  const given = process.env[KEY_VARIABLE];
  const text = given === undefined || given === '' ? await promptHidden(signal) : given;
  ApiKey.from(text);
  return text;
}

async function promptHidden(signal: AbortSignal): Promise<string> {
  if (!process.stdin.isTTY) {
    throw new SettingError(
      KEY_VARIABLE,
      'expected the API key in this environment variable, or a terminal to ask for it, got neither',
    );
  }
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  process.stderr.write('API key (not shown): ');
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true });
  try {
    return await lines.question('', { signal });
  } finally {
    lines.close();
    process.stderr.write('\n');
  }
}
