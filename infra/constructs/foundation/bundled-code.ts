import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Code } from 'aws-cdk-lib/aws-lambda';

/** Where `npm run build` puts them, seen from this file in the repository, and from the one that it is part of in the package. */
const FOLDERS = ['../../../dist/bundles', '../bundles'];

/**
 * One function with all its imports, in one file. It was bundled when the package was built, so who uses the
 * construct needs no bundler, and the hash of the code is the same on every machine.
 *
 * @param file Name of the file in `functions/` without its extension; it exports `handler`.
 */
export function bundledCode(file: string): Code {
  const folders = FOLDERS.map((folder) => join(import.meta.dirname, folder, file));
  const folder = folders.find((each) => existsSync(each));
  if (folder !== undefined) return Code.fromAsset(folder);
  throw new Error(`The code of ${file} is not in ${folders.join(' or ')}: run "npm run build".`);
}
