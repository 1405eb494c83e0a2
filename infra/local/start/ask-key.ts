import { SettingError } from '../../../lib/errors.ts';
import { ApiKey } from '../../../lib/key/api-key.ts';
import { promptHidden } from './prompt-hidden.ts';

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
