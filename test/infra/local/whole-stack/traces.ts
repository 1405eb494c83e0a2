import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiKey } from '../../../../lib/key/api-key.ts';
import { redactorOf } from '../../../../lib/key/redaction.ts';

/**
 * Names of the places whose text, or whose name itself, holds one of the keys, in any of the forms that redaction
 * knows. A text that is in several places is searched once: copies of an assembly are large.
 */
export function placesWithKey(
  keys: readonly string[],
  places: Iterable<readonly [name: string, text: string]>,
): readonly string[] {
  const redact = redactorOf(keys.map((key) => ApiKey.from(key)));
  const searched = new Map<string, boolean>();
  const hasKey = (text: string) => {
    const found = searched.get(text) ?? redact(text) !== text;
    searched.set(text, found);
    return found;
  };
  return [...places].flatMap(([name, text]) => (hasKey(name) || hasKey(text) ? [name] : []));
}

/** Every file below a folder with its text. */
export function filesIn(directory: string): readonly (readonly [name: string, text: string])[] {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  return files
    .filter((file) => file.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .map((path) => [path, readFileSync(path, 'latin1')] as const);
}
