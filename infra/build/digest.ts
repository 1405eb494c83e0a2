import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Digest of the names and contents of all files in these files and folders; those that are not there count as empty.
 *
 * @param isLeftOut Of a name relative to its folder.
 * @param more What belongs to the digest besides.
 */
export function digestOf(
  paths: readonly string[],
  { isLeftOut = () => false, more = '' }: DigestOptions = {},
): string {
  const hash = createHash('sha256').update(more);
  paths.forEach((path, index) => {
    for (const name of filesIn(path).filter((each) => !isLeftOut(each))) {
      const content = createHash('sha256').update(readFileSync(join(path, name)));
      hash.update(`${index} ${name} ${content.digest('hex')}\n`);
    }
  });
  return hash.digest('hex').slice(0, 32);
}

export interface DigestOptions {
  readonly isLeftOut?: (name: string) => boolean;
  readonly more?: string;
}

/** Relative names, in order; `''` for a file itself, nothing for what is not there. */
export function filesIn(path: string): readonly string[] {
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) return [];
  if (found.isFile()) return [''];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(path, join(parentPath, name)))
    .sort();
}
